import {describe, expect, test} from 'vitest'
import {operations, pathParameters, queryParameters} from '#lib/api/operations.js'
import {argumentName, globalFlagNames, operationFlags} from '#lib/cli/input/parameter-flags.js'
import {baseFlags as usualFlags, operationBaseFlags} from '#lib/cli/run/read-line.js'
import {kebabCase} from '#lib/platform/values.js'
import {commandNames, loadCommand} from './command.js'

const commandOf = ({resource, verb}: {resource: string; verb: string}) =>
  `${resource} ${kebabCase(verb)}`

test('there are 57 operations, and each is a command', () => {
  expect(operations).toHaveLength(57)
  expect(commandNames).toEqual(expect.arrayContaining(operations.map(commandOf)))
})

test('every command inherits the global flags', async () => {
  for (const name of commandNames) {
    const {baseFlags = {}, enableJsonFlag} = await loadCommand(name)
    expect(Object.keys(baseFlags), name).toEqual(expect.arrayContaining(Object.keys(usualFlags)))
    expect(enableJsonFlag, name).toBe(false)
  }
})

test('the list of reserved flag names is complete', () => {
  expect(globalFlagNames).toEqual(
    expect.arrayContaining(Object.keys({...usualFlags, ...operationBaseFlags})),
  )
})

test('no flag hides a global one, in any spelling', async () => {
  for (const name of commandNames) {
    const {flags = {}, baseFlags = {}} = await loadCommand(name)
    const global = new Set<string>([...Object.keys(baseFlags), 'help', 'version'])
    for (const [flag, {aliases = []}] of Object.entries(flags)) {
      for (const spelling of [flag, ...aliases]) expect(global, name).not.toContain(spelling)
    }
  }
})

test('no spelling of a flag means two things, and none looks like a credential', async () => {
  for (const name of commandNames) {
    const {flags = {}} = await loadCommand(name)
    const spellings = Object.entries(flags).flatMap(([flag, {aliases = []}]) => [flag, ...aliases])
    expect(new Set(spellings).size, name).toBe(spellings.length)
    for (const flag of ['token', 'access-token', 'oauth-token', 'key-file', 'client-secret']) {
      expect(spellings, name).not.toContain(flag)
    }
  }
})

describe.each(operations)('$operationId', operation => {
  const name = commandOf(operation)

  test('takes the path as arguments, in order', async () => {
    const {args = {}} = await loadCommand(name)
    const required = Object.entries(args).filter(([, {required}]) => required)
    expect(required.map(([arg]) => arg)).toEqual(pathParameters(operation).map(argumentName))
    for (const [, {ignoreStdin}] of Object.entries(args)) expect(ignoreStdin).toBe(true)
  })

  test('has a flag for every parameter and field, and marks deprecated ones', async () => {
    const {flags = {}} = await loadCommand(name)
    for (const [parameter] of queryParameters(operation)) {
      expect(flags).toHaveProperty(kebabCase(parameter))
    }
    for (const {flag, schema, repeated} of operationFlags(operation)) {
      const definition = flags[flag]!
      const words = flag === 'fields' ? 'Fields to return, such as ' : (schema.description ?? '')
      // Defaults are inserted, and `ID of the` is omitted for values that can be paths.
      const missing = words
        .match(/\w{4,}/g)!
        .filter(word => !new RegExp(word, 'i').test(definition.summary!))
      expect(missing).toEqual([])
      expect(Boolean(definition.hidden)).toBe(Boolean(schema.deprecated))
      expect(definition.type).toBe(schema.type === 'boolean' ? 'boolean' : 'option')
      if (definition.type === 'option') {
        expect(definition.options).toEqual(schema.enum)
        expect(Boolean(definition.multiple)).toBe(repeated)
      }
    }
  })

  test('says what it does, and whether it is deprecated', async () => {
    const {summary, state} = await loadCommand(name)
    expect(operation.description.startsWith(summary!)).toBe(true)
    expect(state).toBe(operation.deprecated ? 'deprecated' : undefined)
  })
})

test('every command has one to five examples, each at most 100 wide', async () => {
  for (const name of commandNames) {
    const {examples = []} = await loadCommand(name)
    expect(examples.length, name).toBeGreaterThan(0)
    expect(examples.length, name).toBeLessThanOrEqual(5)
    for (const example of examples) {
      const {description, command} = example as {description: string; command: string}
      const line = command.replace('<%= config.bin %>', 'drv')
      expect(line.length, line).toBeLessThanOrEqual(100)
      expect(description, line).toMatch(/^[A-Z].*[^.:]$/)
    }
  }
})

test('the surface is the agreed one', async () => {
  const lines: string[] = []
  for (const name of commandNames) {
    const {args = {}, flags = {}, state} = await loadCommand(name)
    const shownArgs = Object.entries(args).map(([arg, {required, multiple}]) => {
      const shown = `${arg.toUpperCase()}${multiple ? '...' : ''}`
      return required ? shown : `[${shown}]`
    })
    lines.push([name, ...shownArgs, ...(state ? [`(${state})`] : [])].join(' '))
    for (const [flag, definition] of Object.entries(flags).sort(([a], [b]) => (a < b ? -1 : 1))) {
      const facts = [
        definition.type === 'option' && (definition.options?.join('|') ?? definition.helpValue),
        definition.type === 'option' && definition.multiple && 'repeated',
        definition.required && 'required',
        definition.hidden && 'hidden',
      ].filter(Boolean)
      lines.push(`  --${[flag, ...facts].join(' ')}`)
    }
  }
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('surface.txt')
})
