import type {OperationId} from '../../api/operations.js'
import type {Schema} from '../../api/types.js'

/** What the local service does with a parameter: it works, changes nothing, or is turned down. */
export type Support =
  | {readonly kind: 'yes'}
  /** Accepted and checked, but nothing depends on it. */
  | {readonly kind: 'noEffect'; readonly reason: string}
  /** Only its default is accepted. `byOperation`: the operation itself says so, in words of its own. */
  | {readonly kind: 'refused'; readonly reason: string; readonly byOperation?: true}

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
  ocr: refused(READING),
  ocrLanguage: refused(READING),
  timedTextLanguage: refused(SUBTITLES),
  timedTextTrackName: refused(SUBTITLES),
  emailMessage: refused(NO_MAIL),
  useDomainAdminAccess: {
    kind: 'refused',
    reason: 'Accounts of the local service administer no domain.',
    byOperation: true,
  },
  allowItemDeletion: {
    kind: 'refused',
    reason: 'It goes with useDomainAdminAccess only.',
    byOperation: true,
  },
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
  callback: refused('The local service does not wrap JSON in a script.'),
  '$.xgafv': refused('The local service has one format of error answers.'),
  key: noEffect('There are no API keys; every caller needs a token.'),
  quotaUser: noEffect('No quota is counted for labels.'),
}

/** Parameters that shape a record, on operations that open a channel. */
function watching(operationId: OperationId, names: readonly string[]) {
  return Object.fromEntries(names.map(name => [`${operationId} ${name}`, noEffect(NO_RECORDS)]))
}

/** The value that a refused parameter may have all the same, where it is not the default. */
const HARMLESS: Readonly<Record<string, string>> = {'$.xgafv': '1'}

/** What the local service does with a parameter of an operation. */
export function supportOf(operationId: OperationId, name: string): Support {
  return table[`${operationId} ${name}`] ?? table[name] ?? {kind: 'yes'}
}

/** The sentence that turns a value down, or `undefined` where the value is fine. */
export function refusal(
  operationId: OperationId,
  name: string,
  schema: Schema,
  text: string,
): string | undefined {
  const support = supportOf(operationId, name)
  if (support.kind !== 'refused' || support.byOperation || text === '') return undefined
  const harmless = schema.default ?? HARMLESS[name]
  return text === harmless ? undefined : `${support.reason} Leave out ${name}.`
}
