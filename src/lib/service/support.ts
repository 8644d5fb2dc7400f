import {commonParameters} from '../api/description/parameters.js'
import type {OperationId} from '../api/operations.js'
import type {Schema} from '../api/types.js'

/** What the local service does with a parameter: it works, changes nothing, or is turned down. */
export type Support =
  | {readonly kind: 'yes'}
  /** Accepted and checked, but nothing depends on it; `reason` goes behind "because". */
  | {readonly kind: 'noEffect'; readonly reason: string}
  /** Only its default is accepted; `reason` is a sentence for the caller. */
  | {readonly kind: 'refused'; readonly reason: string}

const noEffect = (reason: string): Support => ({kind: 'noEffect', reason})
const refused = (reason: string): Support => ({kind: 'refused', reason})

const READING = 'The local service does not read text in pictures.'
const SUBTITLES = 'The local service does not know subtitles.'

/** Parameters that do not work everywhere, by name, or by operation and name where they differ. */
const table: Readonly<Record<string, Support>> = {
  ocr: refused(READING),
  ocrLanguage: refused(READING),
  timedTextLanguage: refused(SUBTITLES),
  timedTextTrackName: refused(SUBTITLES),
  enforceSingleParent: noEffect('an item has one parent anyway'),
  enforceExpansiveAccess: noEffect('these rules always apply'),
  projection: noEffect('every answer has all fields unless "fields" says otherwise'),

  // Parameters that every operation takes.
  callback: refused('The local service does not wrap JSON in a script.'),
  '$.xgafv': refused('The local service has one format of error answers.'),
  key: noEffect('the local service knows no API keys, and every caller needs a token'),
  quotaUser: noEffect('the local service counts no quota for labels'),
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
  if (support.kind !== 'refused' || text === '') return undefined
  const harmless = schema.default ?? HARMLESS[name]
  return text === harmless ? undefined : `${support.reason} Leave out ${name}.`
}

/** The common parameters that do not simply work, for the table of what the service covers. */
export const commonNames: readonly string[] = Object.keys(commonParameters)
