import {expect, test} from 'vitest'
import {type Operation, operation, operations, pathParameters} from '#lib/api/operations.js'
import type {Schema} from '#lib/api/types.js'
import {knownValues} from '#lib/api/validate.js'
import {callVerb} from '#lib/cli/document/call.js'
import {operationFlags} from '#lib/cli/input/parameter-flags.js'
import {selectionExample} from '#lib/cli/input/unknown-names.js'
import {verb} from '#lib/cli/run/verb.js'
import {kebabCase} from '#lib/platform/values.js'
import {loadCommand, outcomeOf, outcomeOfClass} from './command.js'

/** `drv api call METHOD` with arguments. */
function called(id: Operation['operationId'], argv: readonly string[]) {
  return outcomeOfClass(verb(callVerb(operation(id), argv)), `api call drive.${id}`, argv)
}

/** A value that the description allows, as text. */
function sample(described: Operation, name: string, {type, format, minimum, ...schema}: Schema) {
  const {[name as 'corpora']: known} = knownValues as Record<string, readonly string[]>
  const ofBody = `${described.request?.$ref}.${name}` as 'Permission.role'
  const knownInBody = (knownValues as Record<string, readonly string[]>)[ofBody]
  if (name === 'fields') return selectionExample(described)
  if (name === 'q') return described.resource === 'drives' ? "name = 'x'" : "title = 'x'"
  if (schema.enum) return schema.enum[0]!
  if (knownInBody) return knownInBody.at(-1)!
  if (known) return known[0]!
  if (type === 'integer' || format === 'int64') return minimum ?? '7'
  if (format === 'date-time') return '2026-11-21T09:30:00Z'
  if (format === 'byte') return 'AAAA'
  if (type === 'number') return '0.5'
  return `${name}-1`
}

/** Flags for everything that an operation accepts except its path. */
function allFlags(described: Operation): readonly string[] {
  return operationFlags(described).flatMap(({flag, name, schema}) => {
    // Requires content, which these calls do not request.
    if (name === 'revisionId') return []
    if (schema.type === 'boolean') return [`--${schema.default === 'true' ? 'no-' : ''}${flag}`]
    const value = sample(described, name, schema)
    return value === '' ? [] : [`--${flag}`, value]
  })
}

const lines = operations.flatMap(described => {
  const inPath = pathParameters(described)
  const words = inPath.map(name => `${name}-1`)
  const command = `${described.resource} ${kebabCase(described.verb)}`
  const flags = allFlags(described)
  // Flags with another name in the method's own command, because it uses the name differently.
  const own = flags.map(word => (word === '--description' ? '--file-description' : word))
  return [
    [command, described.operationId, words, words, flags, own] as const,
    [
      command,
      described.operationId,
      words,
      inPath.flatMap(name => [`--${name}`, `${name}-1`]),
      flags,
      own,
    ] as const,
    [
      command,
      described.operationId,
      words,
      inPath.flatMap(name => ['--param', `${name}=${name}-1`]),
      flags,
      own,
    ] as const,
  ]
})

test('every operation exists', () => {
  expect(new Set(lines.map(([, id]) => id)).size).toBe(57)
})

test.each(lines)('drv %s sends what drv api call drive.%s sends', async (name, id, ...rest) => {
  const [words, named, flags, own] = rest
  const builtIn = await outcomeOf(name, [...words, ...flags, '--dry-run', '--json'])
  const call = await called(id, [...named, ...own, '--dry-run', '--json'])
  expect(builtIn.error).toBeUndefined()
  expect(call.stdout).toBe(builtIn.stdout)
  // Only the built-in command is marked as deprecated.
  expect(builtIn.stderr).toContain(call.stderr)
  expect(call.stdout).toContain('https://files.example.com/drive/v2/')
})

test.each(
  operations
    .filter(described => pathParameters(described).length > 0)
    // Several contents require a directory.
    .filter(described => described.response || described.httpMethod === 'DELETE'),
)('records set the whole path of $operationId, in both spellings', async described => {
  const record = Object.fromEntries(
    [...described.parameterOrder].map(name => [
      name,
      sample(described, name, described.parameters[name]!),
    ]),
  )
  const surroundings = {stdin: `${JSON.stringify(record)}\n`}
  const argv = ['--from', '-', '--dry-run', '--json', '--yes']
  const method = callVerb(described, argv)
  const has = (Class: {flags?: object}) =>
    argv.filter(word => word !== '--yes' || 'yes' in Class.flags!)
  const name = `${described.resource} ${kebabCase(described.verb)}`
  const BuiltIn = await loadCommand(name)
  const builtIn = await outcomeOfClass(BuiltIn, name, has(BuiltIn), surroundings)
  const call = await outcomeOfClass(verb(method), 'api call', has(method), surroundings)
  expect(builtIn.error).toBeUndefined()
  expect(builtIn.stdout).toContain(`${pathParameters(described).at(-1)}-1`)
  expect(call.stdout.replaceAll(`api call ${described.id}`, name)).toBe(builtIn.stdout)
})
