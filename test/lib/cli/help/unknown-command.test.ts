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
  ['files:lst', 'There is no command `drv files lst`.', 'Did you mean `drv files list`?'],
  ['files:nonsense', 'There is no command `drv files nonsense`.', '`drv files --help` shows'],
  ['nonsense', 'There is no command `drv nonsense`.', '`drv --help` shows'],
  ['nonsense:of:many:words', 'There is no command `drv nonsense`.', '`drv --help` shows'],
  ['list', 'There is no command `drv list`.', 'Did you mean `drv ls`?'],
  ['files:ls', 'There is no command `drv files ls`.', 'Did you mean `drv ls`?'],
  ['files:add', 'There is no command `drv files add`.', 'Did you mean `drv files insert`?'],
  ['upload', 'There is no command `drv upload`.', 'Did you mean `drv push`?'],
  ['upload:a:/b', 'There is no command `drv upload`.', 'Did you mean `drv push a /b`?'],
  ['fetch:/a', 'There is no command `drv fetch`.', 'Did you mean `drv pull /a`?'],
  [
    'sync:a:/b',
    'There is no command `drv sync`.',
    'Did you mean `drv push a /b` or `drv pull a /b`?',
  ],
  [
    'shre:/x:ada@example.com',
    'There is no command `drv shre`.',
    'Did you mean `drv share /x ada@example.com`?',
  ],
  ['delete', 'There is no command `drv delete`.', 'Did you mean `drv rm`?'],
  ['delete:/a', 'There is no command `drv delete`.', 'Did you mean `drv rm /a`?'],
  ['files:rename', 'There is no command `drv files rename`.', 'Did you mean `drv mv`?'],
  ['files:/a', 'There is no command `drv files /a`.', '`drv files --help` shows'],
  ['toString', 'There is no command `drv toString`.', '`drv --help` shows'],
  ['-v', 'There is no flag -v without a command.', 'Did you mean `drv --version`?'],
  ['about:get:me', '`drv about get` takes no argument, such as "me".', '`drv about get --help`'],
])('%s', async (id, sentence, hint) => {
  const {text, exit} = await said(id)
  const [first, second] = text.split('\n')
  expect(first).toBe(`Error: ${sentence}`)
  expect(second).toContain(hint)
  expect(exit).toEqual([2])
})

test('flags follow, but for secrets', async () => {
  expect((await said('delete', ['-n'])).text).toContain('`drv rm -n`')
  const {text} = await said('delete', ['--token', 'abc'])
  expect(text).toContain('`drv rm`')
  expect(text).not.toContain('abc')
})

test('with --json it is one JSON document', async () => {
  const {text} = await said('nonsense', ['--json'])
  expect(JSON.parse(text)).toMatchObject({error: {code: 'usage', exit: 2}})
})
