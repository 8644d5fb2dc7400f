import type {OperationId} from '#lib/api/operations.js'

/** Whether the local service supports a parameter, ignores it, or refuses it. */
export type Support =
  | {readonly kind: 'yes'}
  /** Accepted and checked, but without effect. */
  | {readonly kind: 'noEffect'; readonly reason: string}
  /** Any value but the default gets a 403, because no user has the required right. */
  | {readonly kind: 'refused'; readonly reason: string}

const noEffect = (reason: string): Support => ({kind: 'noEffect', reason})
const refused = (reason: string): Support => ({kind: 'refused', reason})

const READING = 'The local service does not recognize text in images.'
const SUBTITLES = 'The local service does not support subtitles.'
const NO_MAIL = 'The local service sends no email.'
const NO_RECORDS = 'Notifications say only that something changed; they contain no records.'
const PRIVATE = 'New files are always private to their owner and the readers of their folder.'
const NO_CONVERSION = 'Content of existing files is not converted; use files.insert or files.copy.'

/** Parameters without full support, by name, or by operation and name where operations differ. */
const table: Readonly<Record<string, Support>> = {
  ocr: noEffect(READING),
  ocrLanguage: noEffect(READING),
  timedTextLanguage: noEffect(SUBTITLES),
  timedTextTrackName: noEffect(SUBTITLES),
  emailMessage: noEffect(NO_MAIL),
  useDomainAdminAccess: refused('Users of the local service are never domain administrators.'),
  allowItemDeletion: refused('Supported only together with useDomainAdminAccess.'),
  sendNotificationEmails: noEffect(NO_MAIL),
  acknowledgeAbuse: noEffect('The local service never flags content as harmful.'),
  includePermissionsForView: noEffect('The local service has no published views.'),
  enforceSingleParent: noEffect('Items never have more than one parent.'),
  enforceExpansiveAccess: noEffect('These rules always apply.'),
  projection: noEffect('Responses contain all fields unless the parameter fields selects some.'),
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

  // Parameters of every operation.
  '$.xgafv': noEffect('Errors have only one format.'),
  key: noEffect('The local service has no API keys; every request needs a token.'),
  quotaUser: noEffect('Rate limits apply per user, not per quotaUser.'),
}

/** Parameters that affect records, on operations that open a channel. */
function watching(operationId: OperationId, names: readonly string[]) {
  return Object.fromEntries(names.map(name => [`${operationId} ${name}`, noEffect(NO_RECORDS)]))
}

/** The support for a parameter of an operation. */
export function supportOf(operationId: OperationId, name: string): Support {
  return table[`${operationId} ${name}`] ?? table[name] ?? {kind: 'yes'}
}
