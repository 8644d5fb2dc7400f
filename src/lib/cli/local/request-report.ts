import {isOperationId} from '#lib/api/operations.js'
import {count} from '#lib/cli/terminal/units.js'
import {groupBy, isObject, parseJson} from '#lib/platform/values.js'
import type {RequestEntry} from '#lib/service/request-log/request-log.js'

/** A report about the requests of a run, and the check of them against what a test expects. */

const isRefused = ({status}: RequestEntry) => status >= 400

/** Counts the requests of a run. `total` includes requests that are no longer in the log. */
export function requestReport(entries: readonly RequestEntry[], total: number) {
  return {
    requests: total,
    recorded: entries.length,
    operations: Object.fromEntries(
      [...grouped(entries)].map(([operation, of]) => [
        operation,
        {requests: of.length, refused: of.filter(isRefused).length},
      ]),
    ),
    refusals: entries
      .filter(isRefused)
      .map(({operation, method, path, status, reason, user, fault}) => ({
        ...{operation, method, path, status, reason, user, fault},
      })),
    changes: entries
      .filter(entry => entry.operation && entry.method !== 'GET' && !isRefused(entry))
      .map(({operation, method, path, user, item}) => ({operation, method, path, user, item})),
  }
}

/** The requests by operation, in alphabetical order. */
function grouped(entries: readonly RequestEntry[]): Map<string, readonly RequestEntry[]> {
  const calls = entries.filter(({operation}) => operation !== undefined)
  const found = groupBy(calls, ({operation}) => operation!)
  return new Map([...found].sort(([one], [other]) => (one < other ? -1 : 1)))
}

/** How many requests of an operation a test expects. */
interface ExpectedCount {
  readonly min: number
  readonly max: number
  /** How many of them may be refused. */
  readonly refused: number
}

export type ExpectedRequests = ReadonlyMap<string, ExpectedCount>

/** Thrown for a file of expectations that is not valid. */
export class ExpectationError extends Error {}

/** Reads a file of expectations: `{"operations": {NAME: N | {min, max, refused}}}`. Throws `ExpectationError`. */
export function readExpectations(text: string): ExpectedRequests {
  const value = parseJson(text)
  if (!isObject(value)) throw new ExpectationError('it is not a JSON object.')
  const other = Object.keys(value).find(name => name !== 'operations')
  if (other !== undefined) throw new ExpectationError(`the field "${other}" is unknown.`)
  if (!isObject(value.operations))
    throw new ExpectationError('the field "operations" must be an object.')
  return new Map(
    Object.entries(value.operations).map(([name, count]) => {
      if (!isOperationId(name)) throw new ExpectationError(`there is no operation "${name}".`)
      return [name, expectedCount(name, count)]
    }),
  )
}

function expectedCount(name: string, value: unknown): ExpectedCount {
  if (isCount(value)) return {min: value, max: value, refused: 0}
  if (!isObject(value)) {
    throw new ExpectationError(
      `operations["${name}"] must be a number, or an object with min, max and refused.`,
    )
  }
  const {min = 0, max = Infinity, refused = 0, ...others} = value
  const [other] = Object.keys(others)
  if (other !== undefined) {
    throw new ExpectationError(`the field "${other}" of operations["${name}"] is unknown.`)
  }
  if (!isCount(min) || !(isCount(max) || max === Infinity) || !isCount(refused)) {
    throw new ExpectationError(`the fields of operations["${name}"] must be integers, 0 or above.`)
  }
  if (min > max)
    throw new ExpectationError(`min of operations["${name}"] must not be greater than max.`)
  return {min, max, refused}
}

const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0

/** API requests that match no operation. */
const isUnknownCall = ({operation, path}: RequestEntry) =>
  operation === undefined && /^\/(upload\/)?drive\//.test(path)

const timesText = (times: number) => count(times, 'time')

/** The differences between the requests of a run and the expected ones, one sentence each. */
export function requestDifferences(
  entries: readonly RequestEntry[],
  expected: ExpectedRequests,
): readonly string[] {
  const sent = grouped(entries)
  const names = [...new Set([...expected.keys(), ...sent.keys()])].sort()
  return [
    ...names.flatMap(name => {
      const requests = sent.get(name) ?? []
      const wanted = expected.get(name)
      const refused = requests.filter(isRefused)
      const sentences: string[] = []
      if (requests.length < (wanted?.min ?? 0)) {
        sentences.push(
          `Missing: ${name} was called ${requests.length} of ${timesText(wanted!.min)}.`,
        )
      }
      if (requests.length > (wanted?.max ?? 0)) {
        const most = wanted ? `expected at most ${wanted.max}` : 'expected none'
        sentences.push(`Extra: ${name} was called ${timesText(requests.length)}; ${most}.`)
      }
      if (refused.length > (wanted?.refused ?? 0)) {
        const reasons = [...new Set(refused.map(reasonText))].join(', ')
        sentences.push(`Refused: ${name}, ${timesText(refused.length)} (${reasons}).`)
      }
      return sentences
    }),
    ...entries
      .filter(entry => isUnknownCall(entry) && isRefused(entry))
      .map(entry => `Refused: ${entry.method} ${entry.path} (${reasonText(entry)}).`),
  ]
}

function reasonText({status, reason}: RequestEntry): string {
  return reason === undefined ? String(status) : `${status} ${reason}`
}
