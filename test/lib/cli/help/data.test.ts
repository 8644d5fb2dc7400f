import {readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {expect, test} from 'vitest'
import {dataOf} from '#lib/cli/help/data.js'
import {subjectOf} from '#lib/cli/help/help-text.js'
import {environmentVariables} from '#lib/cli/help/pages.js'
import {exitCodes} from '#lib/cli/terminal/exit-codes.js'
import {manifest} from './installed.js'

const dataFor = (...words: string[]): any =>
  JSON.parse(JSON.stringify(dataOf(subjectOf(words, manifest)!, {...manifest, version: '1.2.3'})))

test('all of drv: commands, topics, variables and exit codes', () => {
  const all = dataFor()
  expect(all.version).toBe('1.2.3')
  const names = Object.keys(manifest.commands).map(id => id.replaceAll(':', ' '))
  expect(all.commands.map(({name}: {name: string}) => name)).toEqual(names)
  expect(all.topics).toHaveLength(Object.keys(manifest.topics).length)
  const codes = all.exitCodes.map(({code}: {code: number}) => code)
  expect(codes).toEqual(Object.values(exitCodes))
  expect(all.globalFlags[0]).toMatchObject({name: '--json', short: '-J', variable: 'DRV_JSON'})
})

test('a command: arguments and flags with their types, values and places', () => {
  const data = dataFor('permissions', 'insert')
  expect(data.usage).toBe('drv permissions insert FILE... [FLAGS]')
  expect(data.arguments).toMatchObject([{name: 'FILE', required: true, repeated: true}])
  const flag = (name: string) => data.flags.find((one: {name: string}) => one.name === name)
  expect(flag('--role')).toMatchObject({type: 'string', setsField: true, repeated: false})
  expect(flag('--send-notification-emails')).toMatchObject({type: 'boolean', canBeTurnedOff: true})
  expect(flag('--concurrency')).toMatchObject({type: 'integer', value: 'N'})
  expect(flag('--json')).toBeUndefined()
  expect(dataFor('push').flags).toContainEqual(
    expect.objectContaining({name: '--if-exists', values: ['replace', 'skip', 'fail', 'rename']}),
  )
  expect(dataFor('completion').arguments).toMatchObject([{values: ['bash', 'zsh', 'fish']}])
})

test('a topic has its commands, a page its sections', () => {
  const {commands} = dataFor('drives')
  expect(commands.map(({name}: {name: string}) => name)).toContain('drives hide')
  expect(commands.every(({name}: {name: string}) => name.startsWith('drives '))).toBe(true)
  expect(dataFor('exit-codes').blocks[0].entries).toHaveLength(Object.keys(exitCodes).length)
})

test.each([
  ['files list', false, null],
  ['about get', false, null],
  // It is a POST that changes no existing items.
  ['channels stop', false, null],
  ['files trash', true, 'yes'],
  ['files delete', true, 'no'],
  ['drives delete', true, 'no'],
  ['permissions delete', true, 'sometimes'],
  ['rm', true, 'sometimes'],
  ['cp', true, 'yes'],
  ['ls', false, null],
  ['local user delete', true, 'no'],
])('%s changes something: %j, and can be undone: %j', (name, changes, back) => {
  const data = dataFor(...name.split(' '))
  expect(data).toMatchObject({isMutating: changes, canBeTakenBack: back})
})

test('the effect of every command is known, and commands that ask may destroy', () => {
  for (const {id, effect, flags = {}} of Object.values(manifest.commands)) {
    const name = id.replaceAll(':', ' ')
    expect(effect, name).toBeDefined()
    // A push moves items to the trash; it asks because of their possible number.
    if (Object.hasOwn(flags, 'yes') && name !== 'push') {
      expect(['may destroy', 'destroys'], name).toContain(effect)
    }
  }
})

test('every variable in the source is documented', () => {
  const source = fileURLToPath(new URL('../../../../src', import.meta.url))
  // A follower sets the last one for a process of its own.
  const told = new Set([...environmentVariables.map(({name}) => name), 'DRV_ROUND_PROCESS'])
  const spoken = readdirSync(source, {recursive: true, encoding: 'utf8'})
    .filter(path => path.endsWith('.ts'))
    .flatMap(path => readFileSync(join(source, path), 'utf8').match(/\bDRV_[A-Z_]+\b/g) ?? [])
    // The prefix of a name.
    .filter(name => !name.endsWith('_'))
  expect([...new Set(spoken)].filter(name => !told.has(name))).toEqual([])
  const {'files:trash': trash} = manifest.commands
  const global = Object.values(trash!.flags ?? {})
    .filter(({helpGroup}) => helpGroup === 'GLOBAL')
    // These belong to one call.
    .filter(({name}) => !['columns', 'jq', 'null', 'plan', 'curl'].includes(name))
    .map(({name}) => `DRV_${name.toUpperCase().replaceAll('-', '_')}`)
  expect(global.filter(name => !told.has(name))).toEqual([])
})
