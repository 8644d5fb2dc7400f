import {Flags} from '@oclif/core'
import {type Operation, pathParameters} from '#lib/api/operations.js'
import {meaningOf} from '#lib/cli/explain/parse-errors.js'
import {checkValue, type Parsed} from '#lib/cli/input/call-input.js'
import {argumentHelp} from '#lib/cli/input/operation-flags.js'
import {argumentName, operationFlags} from '#lib/cli/input/parameter-flags.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {readArgv} from '#lib/cli/terminal/read-argv.js'
import type {ParameterTexts} from '#lib/client/client.js'
import {TOKEN_PARAMETERS} from '#lib/client/url.js'
import {nearest, suggestionSentence} from '#lib/platform/nearest.js'
import {kebabCase, ownProperty} from '#lib/platform/values.js'

/** Parameters of `drv api call`: positional arguments, flags in either spelling, and `--param`. */

/** A flag for each path parameter, and `--param` for any parameter. */
export function parameterFlags(operation: Operation) {
  const inPath = pathParameters(operation).map(name => [
    kebabCase(name),
    Flags.string({
      helpGroup: 'PATH',
      summary: argumentHelp(operation, name),
      aliases: kebabCase(name) === name ? [] : [name],
      helpValue: 'TEXT',
    }),
  ])
  return {
    ...(Object.fromEntries(inPath) as Record<string, ReturnType<typeof Flags.string>>),
    param: Flags.string({
      summary: 'Set any parameter by its API name, even if a flag has the same name.',
      helpValue: 'NAME=VALUE',
      multiple: true,
      multipleNonGreedy: true,
    }),
  }
}

/** The parameters among `names` that argv sets with a flag or `--param`. */
export function namedIn(names: readonly string[], argv: readonly string[]): readonly string[] {
  const tokens = readArgv(argv, {param: {type: 'option'}})
  const flags = new Set(tokens.map(({spelling}) => spelling.replace(/^--/, '')))
  const params = new Set(
    tokens.filter(({names}) => names.includes('param')).map(({value}) => value?.split('=')[0]),
  )
  return names.filter(name => flags.has(name) || flags.has(kebabCase(name)) || params.has(name))
}

/**
 * The parsed input with each parameter where the request builder expects it: path parameters among the
 * arguments, others among the flags, and those without a flag in `--param`. Throws `UsageError` for
 * unknown, repeated or missing parameters; `mayLack` allows missing ones, because records may bring them.
 */
export function withParameters(
  operation: Operation,
  {args, flags, ...rest}: Parsed,
  mayLack: boolean,
): Parsed {
  const settled = {args: {...args}, flags: {...flags}}
  const others: string[] = []
  const inPath = pathParameters(operation)
  const known = operationFlags(operation)
  const put = (where: Record<string, unknown>, key: string, value: unknown, shown: string) => {
    const before = [ownProperty(where, key) ?? []].flat()
    if (before.length > 0) throw new UsageError(`${shown} is set twice. Set it once.`)
    where[key] = value
  }
  for (const name of inPath) {
    const flag = kebabCase(name)
    const value = ownProperty(settled.flags, flag)
    delete settled.flags[flag]
    if (value !== undefined) put(settled.args, argumentName(name), value, `--${flag}`)
  }
  for (const text of [flags.param ?? []].flat()) {
    const [name, value] = parameterIn(operation, String(text))
    const flag = known.find(one => one.place === 'query' && one.name === name)
    if (inPath.includes(name)) put(settled.args, argumentName(name), value, name)
    else if (!flag) others.push(String(text))
    else if (flag.repeated) {
      settled.flags[flag.flag] = [...[ownProperty(settled.flags, flag.flag) ?? []].flat(), value]
    } else put(settled.flags, flag.flag, value, name)
  }
  const all = {...rest, args: settled.args, flags: {...settled.flags, param: others}}
  if (!mayLack) refuseMissing(operation, all)
  return all
}

/** The parameters of `--param` that have no flag, as sent. Throws `UsageError`. */
export function otherParameters(operation: Operation, param: unknown): ParameterTexts {
  const params = new Map<string, string | string[]>()
  for (const text of [param ?? []].flat()) {
    const [name, value, schema] = parameterIn(operation, String(text))
    const sent = checkValue(name, schema, value)
    const before = params.get(name)
    if (schema.repeated) params.set(name, [...[before ?? []].flat(), sent])
    else if (before === undefined) params.set(name, sent)
    else throw new UsageError(`${name} is set twice. Set it once.`)
  }
  return Object.fromEntries(params)
}

/** Splits `NAME=VALUE` and finds the parameter. Throws `UsageError`. */
function parameterIn({id, parameters, document}: Operation, text: string) {
  const [, name = '', value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? []
  const all = {...document.parameters, ...parameters}
  if (TOKEN_PARAMETERS.has(name)) {
    throw new UsageError(`${name} is never sent in a URL.`, 'Set DRV_TOKEN instead.')
  }
  if (name === '') throw new UsageError(`Invalid --param "${text}": expected NAME=VALUE.`)
  if (Object.hasOwn(all, name)) return [name, value, all[name]!] as const
  const meant = nearest(name, Object.keys(all))
  throw new UsageError(
    `${id} has no parameter "${name}".`,
    meant === undefined
      ? `Run \`drv api describe ${id}\` to see its parameters.`
      : suggestionSentence(meant),
  )
}

function refuseMissing(operation: Operation, {args, flags}: Parsed): void {
  const {parameters} = operation
  const others = [flags.param ?? []].flat().map(text => String(text).split('=')[0])
  const flagOf = (name: string) =>
    operationFlags(operation).find(known => known.place === 'query' && known.name === name)?.flag
  const isGiven = (name: string) => {
    const value = args[argumentName(name)] ?? ownProperty(flags, flagOf(name) ?? '')
    return (value !== undefined && [value].flat().length > 0) || others.includes(name)
  }
  const missing = Object.keys(parameters).find(
    name => parameters[name]!.required && name !== 'requestId' && !isGiven(name),
  )
  if (missing === undefined) return
  const isInPath = parameters[missing]!.location === 'path'
  const flag = isInPath ? kebabCase(missing) : flagOf(missing)
  const way = flag === undefined ? `--param ${missing}=VALUE` : `--${flag}`
  throw new UsageError(`Missing ${way}${meaningOf(parameters[missing]!.description ?? '')}.`)
}
