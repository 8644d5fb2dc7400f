import type {OperationId} from '#lib/api/operations.js'

/** What the local service does with a parameter: it works, changes nothing, or its operation refuses it. */
export type Support =
  | {readonly kind: 'yes'}
  /** Accepted and checked, but nothing depends on it. */
  | {readonly kind: 'noEffect'; readonly reason: string}
  /** Anything but its default is 403: it asks for a right that nobody has here. */
  | {readonly kind: 'refused'; readonly reason: string}

const noEffect = (reason: string): Support => ({kind: 'noEffect', reason})
const refused = (reason: string): Support => ({kind: 'refused', reason})

const READING = 'The local service does not read text in pictures.'
const SUBTITLES = 'The local service does not know subtitles.'
const NO_MAIL = 'The local service sends no mail.'
const NO_RECORDS = 'Messages only say that something changed; what they lead to is asked for later.'
const PRIVATE = 'A new file is private to its owner and the readers of its folder anyway.'
const NO_CONVERSION =
  'Content of an existing file is not converted; convert with files.insert or files.copy.'

/** Parameters that do not work everywhere, by name, or by operation and name where they differ. */
const table: Readonly<Record<string, Support>> = {
  ocr: noEffect(READING),
  ocrLanguage: noEffect(READING),
  timedTextLanguage: noEffect(SUBTITLES),
  timedTextTrackName: noEffect(SUBTITLES),
  emailMessage: noEffect(NO_MAIL),
  useDomainAdminAccess: refused('Accounts of the local service administer no domain.'),
  allowItemDeletion: refused('It goes with useDomainAdminAccess only.'),
  sendNotificationEmails: noEffect(NO_MAIL),
  acknowledgeAbuse: noEffect('Nothing is ever flagged as harmful.'),
  includePermissionsForView: noEffect('There are no published views.'),
  enforceSingleParent: noEffect('An item has one parent anyway.'),
  enforceExpansiveAccess: noEffect('These rules always apply.'),
  projection: noEffect('Every answer has all fields unless the parameter fields says otherwise.'),
  'files.insert visibility': noEffect(PRIVATE),
  'files.copy visibility': noEffect(PRIVATE),
  'files.update convert': noEffect(NO_CONVERSION),
  'files.patch convert': noEffect(NO_CONVERSION),
  ...watching('files.watch', ['includeLabels', 'revisionId', 'updateViewedDate']),
  ...watching('changes.watch', [
    'includeCorpusRemovals',
    'includeLabels',
    'maxResults',
    'pageToken',
    'startChangeId',
  ]),

  // Parameters that every operation takes.
  '$.xgafv': noEffect('There is one format of error answers.'),
  key: noEffect('There are no API keys; every caller needs a token.'),
  quotaUser: noEffect('No quota is counted for labels.'),
}

/** Parameters that shape a record, on operations that open a channel. */
function watching(operationId: OperationId, names: readonly string[]) {
  return Object.fromEntries(names.map(name => [`${operationId} ${name}`, noEffect(NO_RECORDS)]))
}

/** What the local service does with a parameter of an operation. */
export function supportOf(operationId: OperationId, name: string): Support {
  return table[`${operationId} ${name}`] ?? table[name] ?? {kind: 'yes'}
}
