import {fileURLToPath} from 'node:url'
import {afterEach, expect, test, vi} from 'vitest'
import unknownCommand from '#lib/cli/help/unknown-command.js'

afterEach(() => void vi.restoreAllMocks())

const root = fileURLToPath(new URL('../../../..', import.meta.url))

async function said(id: string, argv: string[] = []) {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const exit = vi.fn()
  const names = ['about:get', 'files:list', 'files:get', 'files:insert']
  const commands = [...names, 'ls', 'mv', 'pull', 'push', 'rm', 'share'].map(name => ({id: name}))
  await (unknownCommand as unknown as (options: object) => Promise<void>).call(
    {},
    {id, argv, config: {commands, root}, context: {exit}},
  )
  return {text: write.mock.calls.join(''), exit: exit.mock.calls[0]}
}

test.each([
  ['files:lst', 'Unknown command `drv files lst`.', 'Did you mean `drv files list`?'],
  ['files:nonsense', 'Unknown command `drv files nonsense`.', 'Run `drv files --help`'],
  ['nonsense', 'Unknown command `drv nonsense`.', 'Run `drv --help`'],
  ['nonsense:of:many:words', 'Unknown command `drv nonsense`.', 'Run `drv --help`'],
  ['list', 'Unknown command `drv list`.', 'Did you mean `drv ls`?'],
  ['files:ls', 'Unknown command `drv files ls`.', 'Did you mean `drv ls`?'],
  ['files:add', 'Unknown command `drv files add`.', 'Did you mean `drv files insert`?'],
  ['upload', 'Unknown command `drv upload`.', 'Did you mean `drv push`?'],
  ['upload:a:/b', 'Unknown command `drv upload`.', 'Did you mean `drv push a /b`?'],
  ['fetch:/a', 'Unknown command `drv fetch`.', 'Did you mean `drv pull /a`?'],
  ['sync:a:/b', 'Unknown command `drv sync`.', 'Did you mean `drv push a /b` or `drv pull a /b`?'],
  [
    'shre:/x:ada@example.com',
    'Unknown command `drv shre`.',
    'Did you mean `drv share /x ada@example.com`?',
  ],
  ['delete', 'Unknown command `drv delete`.', 'Did you mean `drv rm`?'],
  ['delete:/a', 'Unknown command `drv delete`.', 'Did you mean `drv rm /a`?'],
  ['files:rename', 'Unknown command `drv files rename`.', 'Did you mean `drv mv`?'],
  ['files:/a', 'Unknown command `drv files /a`.', 'Run `drv files --help`'],
  ['toString', 'Unknown command `drv toString`.', 'Run `drv --help`'],
  ['-v', 'Unknown flag -v.', 'Did you mean `drv --version`?'],
  ['about:get:me', '`drv about get` takes no arguments, but got "me".', '`drv about get --help`'],
])('%s', async (id, sentence, hint) => {
  const {text, exit} = await said(id)
  const [first, second] = text.split('\n')
  expect(first).toBe(`Error: ${sentence}`)
  expect(second).toContain(hint)
  expect(exit).toEqual([2])
})

test('flags are kept, except secrets', async () => {
  expect((await said('delete', ['-n'])).text).toContain('`drv rm -n`')
  const {text} = await said('delete', ['--token', 'abc'])
  expect(text).toContain('`drv rm`')
  expect(text).not.toContain('abc')
})

test('with --json it is one JSON document', async () => {
  const {text} = await said('nonsense', ['--json'])
  expect(JSON.parse(text)).toMatchObject({error: {code: 'usage', exit: 2}})
})
