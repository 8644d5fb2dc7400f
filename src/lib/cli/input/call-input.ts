import {type Operation, pathParameters} from '#lib/api/operations.js'
import {bodyIdProblems, idProblem, pathProblem} from '#lib/api/path-values.js'
import type {Schema} from '#lib/api/types.js'
import {bodyProblems, parameterProblem, parameterValue, type Problem} from '#lib/api/validate.js'
import {isName, kindOfField, kindOfParameter} from '#lib/cli/input/names/request-names.js'
import {listFields} from '#lib/cli/output/list-fields.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {shownName} from '#lib/cli/terminal/read-argv.js'
import type {ParameterTexts} from '#lib/client/client.js'
import {runTimed} from '#lib/platform/timed-script.js'
import {ownProperty} from '#lib/platform/values.js'
import {
  argumentName,
  isSentByDefault,
  type OperationFlag,
  operationFlags,
  successorFlag,
} from './parameter-flags.js'
import {refuseUnknownFields, refuseUnknownSelection, refuseUnknownValue} from './unknown-names.js'

/** Values of arguments or flags by name, as parsed by oclif. */
export type FlagValues = Readonly<Record<string, unknown>>

/** The parsed input of a command. */
export interface Parsed {
  readonly args: FlagValues
  readonly flags: FlagValues
  /** The request body from `--body`, or from fields of a record. */
  readonly document?: Body
}

type Body = Readonly<Record<string, unknown>>

/**
 * The request parameters for parsed input. Omits parameters without a value, so that the service's
 * defaults apply. Throws `UsageError` for an invalid value.
 */
export function parametersFromFlags(
  operation: Operation,
  args: FlagValues,
  flags: FlagValues,
): ParameterTexts {
  const params = new Map<string, string | readonly string[]>()
  for (const name of pathParameters(operation)) {
    const argument = argumentName(name)
    const label = shownName(argument)
    const text = String(args[argument])
    if (!isName(kindOfParameter(operation, name), text)) {
      throwProblem(label, pathProblem(operation, name, text))
      checkValue(label, operation.parameters[name]!, text)
    }
    params.set(name, text)
  }
  for (const flag of operationFlags(operation)) {
    if (flag.place !== 'query') continue
    const value = ownProperty(flags, flag.flag) ?? (isSentByDefault(flag) ? true : undefined)
    if (value === undefined) continue
    const texts = (Array.isArray(value) ? value : [value]).map(String)
    const kind = Array.isArray(value) ? undefined : kindOfParameter(operation, flag.name)
    for (const text of texts.filter(text => !isName(kind, text))) {
      checkValue(`--${flag.flag}`, flag.schema, text)
      throwProblem(`--${flag.flag}`, idProblem(flag.name, text, operation.document))
      refuseUnknownValue(operation, `--${flag.flag}`, flag.name, text)
      if (flag.name === 'fields') refuseUnknownSelection(operation, listFields(operation, text))
    }
    params.set(flag.name, flag.repeated ? texts : texts[0]!)
  }
  return Object.fromEntries(params)
}

/**
 * The request body: `document` (from `--body`), with the body flags overriding its fields. `undefined`
 * for an operation without a body. Throws `UsageError` for an invalid value.
 */
export function bodyFromFlags(
  operation: Operation,
  flags: FlagValues,
  document: Body = {},
): Body | undefined {
  if (!operation.request) return undefined
  const fields = operationFlags(operation).filter(({place}) => place === 'body')
  const values = fields.flatMap(flag => {
    const value = ownProperty(flags, flag.flag)
    return value === undefined ? [] : [[flag.name, fieldValue(flag, value), flag.within] as const]
  })
  const body = withFields(document, values)
  for (const {flag, name} of fields) {
    refuseUnknownValue(
      operation,
      `--${flag}`,
      `${operation.request.$ref}.${name}`,
      ownProperty(flags, flag),
    )
  }
  refuseUnknownFields(operation, document)
  const isNamed = ({at}: Problem) =>
    values.some(
      ([name, value]) => name === at && isName(kindOfField(operation, name), String(value)),
    )
  const problem =
    bodyProblems(operation, body, matchesPattern)[0] ??
    bodyIdProblems(operation, body).find(one => !isNamed(one))
  if (!problem) return body
  const flag = fields.find(({name}) => name === problem.at)
  if (problem.rule === 'required') {
    const field = `"${problem.at}" in --body`
    throw new UsageError(flag ? `Missing --${flag.flag} or ${field}.` : `Missing ${field}.`)
  }
  const label = flag && values.some(([name]) => name === flag.name) ? `--${flag.flag}` : undefined
  throw invalid(label ?? (problem.at ? `"${problem.at}" in --body` : '--body'), problem)
}

/** A body with some fields set; setting a field of a nested object keeps the object's other fields. */
function withFields(
  document: Body,
  fields: ReadonlyArray<readonly [name: string, value: unknown, within?: string]>,
): Body {
  const body: Record<string, unknown> = {...document}
  for (const [name, value, within] of fields) {
    if (within === undefined) body[name] = value
    else
      body[within] = {
        ...objectOf(ownProperty(body, within)),
        [name.slice(within.length + 1)]: value,
      }
  }
  return body
}

function objectOf(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {}
}

/** The notices about deprecated flags in use. */
export function deprecationNotices(operation: Operation, flags: FlagValues): string[] {
  return operationFlags(operation)
    .filter(({flag, schema}) => schema.deprecated && ownProperty(flags, flag) !== undefined)
    .map(({flag, schema}) => {
      const successor = successorFlag(schema)
      return successor
        ? `Note: --${flag} is deprecated. Use --${successor} instead.`
        : `Note: --${flag} is deprecated. ${schema.description?.replace(/^Deprecated: (\w)/, (_, letter: string) => letter.toUpperCase())}`
    })
}

/** The value unchanged. Throws `UsageError` if it is invalid; `label` names the flag or argument. */
export function checkValue(label: string, schema: Schema, text: string): string {
  throwProblem(label, parameterProblem(label, schema, text, matchesPattern))
  return text
}

/** Throws `UsageError` for a problem, if any; `label` names the flag or argument. */
export function throwProblem(label: string, problem: Problem | undefined): void {
  if (problem) throw invalid(label, problem)
}

function invalid(label: string, {text}: Problem): UsageError {
  return new UsageError(`Invalid ${label}: ${text}.`)
}

function fieldValue({flag, schema}: OperationFlag, input: unknown): unknown {
  if (Array.isArray(input)) return input
  return parameterValue(schema, checkValue(`--${flag}`, schema, String(input)))
}

/** Time limit for matching a pattern, in milliseconds; patterns of real descriptions take less than one. */
const MATCH_TIMEOUT = 100

/** Patterns that timed out and are not run again. */
const slowPatterns = new Set<string>()

/**
 * Whether a pattern in Java syntax matches a whole text. A pattern that JavaScript cannot compile, or that
 * times out, matches any text; the service checks it.
 */
export function matchesPattern(pattern: string, text: string): boolean {
  if (slowPatterns.has(pattern)) return true
  try {
    const script = "new RegExp('^(?:' + pattern + ')$').test(text)"
    const matches = runTimed<boolean>(script, {pattern, text}, MATCH_TIMEOUT)
    if (matches === undefined) slowPatterns.add(pattern)
    return matches ?? true
  } catch {
    return true
  }
}
