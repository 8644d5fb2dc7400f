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
import {own} from '#lib/platform/values.js'
import {
  argumentName,
  isSentByDefault,
  type OperationFlag,
  operationFlags,
  replacement,
} from './parameter-flags.js'
import {refuseUnknownFields, refuseUnknownSelection, refuseUnknownValue} from './unknown-names.js'

/** Values as oclif gives them, by name of the flag or argument. */
export type Values = Readonly<Record<string, unknown>>

/** A command line as it was read. */
export interface Parsed {
  readonly args: Values
  readonly flags: Values
  /** What of the body has no flag of its own. */
  readonly document?: Body
}

type Body = Readonly<Record<string, unknown>>

/**
 * The parameters that a command line asks for, as they go out. What nobody gave is not sent, so
 * that the service's own defaults hold. Throws `UsageError` for a value the description does not
 * allow.
 */
export function parametersFromFlags(
  operation: Operation,
  args: Values,
  flags: Values,
): ParameterTexts {
  const params = new Map<string, string | readonly string[]>()
  for (const name of pathParameters(operation)) {
    const argument = argumentName(name)
    const shown = shownName(argument)
    const text = String(args[argument])
    if (!isName(kindOfParameter(operation, name), text)) {
      refuse(shown, pathProblem(operation, name, text))
      checked(shown, operation.parameters[name]!, text)
    }
    params.set(name, text)
  }
  for (const flag of operationFlags(operation)) {
    if (flag.place !== 'query') continue
    const given = own(flags, flag.flag) ?? (isSentByDefault(flag) ? true : undefined)
    if (given === undefined) continue
    const texts = (Array.isArray(given) ? given : [given]).map(String)
    const kind = Array.isArray(given) ? undefined : kindOfParameter(operation, flag.name)
    for (const text of texts.filter(text => !isName(kind, text))) {
      checked(`--${flag.flag}`, flag.schema, text)
      refuse(`--${flag.flag}`, idProblem(flag.name, text, operation.document))
      refuseUnknownValue(operation, `--${flag.flag}`, flag.name, text)
      if (flag.name === 'fields') refuseUnknownSelection(operation, listFields(operation, text))
    }
    params.set(flag.name, flag.repeated ? texts : texts[0]!)
  }
  return Object.fromEntries(params)
}

/**
 * The body: `document` (what `--body` gave) with the body's own flags laid over it. `undefined`
 * for an operation without a body. Throws `UsageError` for what the description does not allow.
 */
export function bodyFromFlags(
  operation: Operation,
  flags: Values,
  document: Body = {},
): Body | undefined {
  if (!operation.request) return undefined
  const fields = operationFlags(operation).filter(({place}) => place === 'body')
  const given = fields.flatMap(flag => {
    const value = own(flags, flag.flag)
    return value === undefined ? [] : [[flag.name, fieldValue(flag, value), flag.within] as const]
  })
  const body = laidOver(document, given)
  for (const {flag, name} of fields) {
    refuseUnknownValue(
      operation,
      `--${flag}`,
      `${operation.request.$ref}.${name}`,
      own(flags, flag),
    )
  }
  refuseUnknownFields(operation, document)
  const isNamed = ({at}: Problem) =>
    given.some(
      ([name, value]) => name === at && isName(kindOfField(operation, name), String(value)),
    )
  const problem =
    bodyProblems(operation, body, matchesPattern)[0] ??
    bodyIdProblems(operation, body).find(one => !isNamed(one))
  if (!problem) return body
  const flag = fields.find(({name}) => name === problem.at)
  if (problem.rule === 'required') {
    const field = `"${problem.at}" in --body`
    throw new UsageError(
      flag ? `--${flag.flag} is missing: this needs it, or ${field}.` : `${field} is missing.`,
    )
  }
  const where = flag && given.some(([name]) => name === flag.name) ? `--${flag.flag}` : undefined
  throw new UsageError(`${where ?? `"${problem.at || 'The body'}" in --body`} ${problem.text}.`)
}

/** A body with fields laid over it; one within an object leaves the others of the object. */
function laidOver(
  document: Body,
  fields: ReadonlyArray<readonly [name: string, value: unknown, within?: string]>,
): Body {
  const body: Record<string, unknown> = {...document}
  for (const [name, value, within] of fields) {
    if (within === undefined) body[name] = value
    else body[within] = {...objectOf(own(body, within)), [name.slice(within.length + 1)]: value}
  }
  return body
}

function objectOf(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {}
}

/** What to say about deprecated flags that were used. */
export function deprecationNotes(operation: Operation, flags: Values): string[] {
  return operationFlags(operation)
    .filter(({flag, schema}) => schema.deprecated && own(flags, flag) !== undefined)
    .map(({flag, schema}) => {
      const instead = replacement(schema)
      return instead
        ? `Note: --${flag} is deprecated. Use --${instead} instead.`
        : `Note: --${flag} is deprecated. ${schema.description}`
    })
}

/** A value as it goes out. Throws `UsageError` for one that the description does not allow. */
export function checked(where: string, schema: Schema, text: string): string {
  refuse(where, parameterProblem(where, schema, text, matchesPattern))
  return text
}

/** Throws `UsageError` where there is a problem; `where` names what it is about. */
export function refuse(where: string, problem: Problem | undefined): void {
  if (problem) throw new UsageError(`${where} ${problem.text}.`)
}

function fieldValue({flag, schema}: OperationFlag, given: unknown): unknown {
  if (Array.isArray(given)) return given
  return parameterValue(schema, checked(`--${flag}`, schema, String(given)))
}

/** Milliseconds that one check of a pattern may take; those of real descriptions take less than one. */
const PATIENCE = 100

/** Patterns that took longer: they are not run again. */
const slow = new Set<string>()

/**
 * Whether a pattern, in the dialect of Java, matches a whole text. One that JavaScript does not know, or
 * that takes too long, matches any text: the service, from which it comes, checks it.
 */
export function matchesPattern(pattern: string, text: string): boolean {
  if (slow.has(pattern)) return true
  try {
    const script = "new RegExp('^(?:' + pattern + ')$').test(text)"
    const matches = runTimed<boolean>(script, {pattern, text}, PATIENCE)
    if (matches === undefined) slow.add(pattern)
    return matches ?? true
  } catch {
    return true
  }
}
