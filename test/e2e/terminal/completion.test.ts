import {existsSync, mkdirSync, readdirSync, statSync, writeFileSync} from 'node:fs'
import {type AddressInfo, createServer} from 'node:net'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest'
import {SHELLS} from '#lib/cli/completion/answer.js'
import {runDrv} from '../../support/drv.js'
import {installed, startShell} from '../../support/shells.js'
import {missingTerminal, startAtTerminal} from '../../support/terminal.js'
import {startWorld, type World} from '../../support/world.js'

let world: World
beforeAll(async () => {
  world = await startWorld()
  const reports = await world.make('Reports', 'root')
  await world.make('q3 figures.pdf', reports, 'x')
  const letters = await world.make('My Letters', 'root')
  await world.make("it's.txt", letters, 'x')
  await world.make('deep', letters)
  const hostile = await world.make('Hostile', 'root')
  for (const title of [...HARMFUL, ...UNNAMEABLE]) await world.make(title, hostile, 'x')
  await world.drv('drives insert', '--name', 'Finance Team')
  mkdirSync(join(world.folder, 'here'))
  writeFileSync(join(world.folder, 'here/local file.txt'), 'x')
})
afterAll(() => world.close())

/** Names with shell syntax; each starts with a different letter. */
const HARMFUL = [
  'a$(touch harm)',
  'b`touch harm`',
  'c\'quoted\' "twice"',
  'd;touch harm;',
  'e * ? [x] {y,z}',
  'f\\back\\slash',
  'g!!',
  'h & | < >',
  'i ~ # =',
  'j${HOME}$HOME',
]

/** Names that would control the terminal or end the line, and cannot be typed. */
const UNNAMEABLE = ['k\ntouch harm\n', 'l\u001b[2Jred', 'm\rtouch harm', 'n/slash', 'o\u202Eturned']

/** The completions for a line, without a shell. */
async function asked(words: readonly string[], env: Record<string, string> = {}) {
  const {code, stdout, stderr} = await world.run('__complete', words, {env})
  expect({code, stderr}).toEqual({code: 0, stderr: ''})
  return stdout.split('\n').slice(1, -1)
}

/** On a busy machine, a second may pass before the service responds. */
const polled = (look: () => Promise<readonly string[]>) => expect.poll(look, {interval: 10})

describe.each(SHELLS)('%s', shell => {
  const open = () => startShell(shell, {env: world.env, cwd: world.folder})

  test.skipIf(!installed.includes(shell))('completes the typed text', async () => {
    const at = await open()
    const completes = async (line: string, words: readonly string[], rest = '') =>
      polled(() => at.completed(`drv ${line}`, rest)).toEqual(words)
    await completes('fil', ['files', 'x'], 'x')
    await completes('files tou', ['files', 'touch', 'x'], 'x')
    await completes('--quiet files tou', ['--quiet', 'files', 'touch', 'x'], 'x')
    await completes('files list --format js', ['files', 'list', '--format', 'json', 'x'], 'x')
    await completes('files list --format=js', ['files', 'list', '--format=json', 'x'], 'x')
    await completes('files list --columns id,ti', ['files', 'list', '--columns', 'id,title'])
    await completes('auth switch loc', ['auth', 'switch', 'local', 'x'], 'x')
  })

  test.skipIf(!installed.includes(shell))('completes remote paths, including blanks', async () => {
    const at = await open()
    const completes = async (word: string, whole: string, rest = '') =>
      polled(() => at.completed(`drv files get ${word}`, rest)).toEqual(['files', 'get', whole])
    await completes('/Rep', '/Reports/')
    await completes('/Reports/q', '/Reports/q3 figures.pdf')
    await completes('/My', '/My Letters/')
    await completes('/My\\ L', '/My Letters/')
    await completes('/My\\ Letters/i', "/My Letters/it's.txt")
    await completes("'/My Letters/de", '/My Letters/deep/', shell === 'bash' ? '' : "'")
    await completes('drive:Fin', 'drive:Finance Team/')
  })

  test.skipIf(!installed.includes(shell))('leaves local file names to the shell', async () => {
    const at = await open()
    const completes = async (line: string, words: readonly string[]) =>
      polled(() => at.completed(`drv ${line}`)).toEqual(words)
    const file = 'here/local file.txt'
    await completes('files insert here/lo', ['files', 'insert', file])
    await completes('push here/lo', ['push', file])
    await completes('push here here/lo', ['push', 'here', file])
    await completes('push here /Rep', ['push', 'here', '/Reports/'])
    await completes('files export /x --output here/lo', ['files', 'export', '/x', '--output', file])
    await completes('files insert --body @here/lo', ['files', 'insert', '--body', `@${file}`])
    await completes('files trash --from=here/lo', ['files', 'trash', `--from=${file}`])
    await completes('files trash --checkpoint here/lo', ['files', 'trash', '--checkpoint', file])
    await completes('files list --title x < here/lo', ['files', 'list', '--title', 'x'])
  })

  test.skipIf(!installed.includes(shell))('runs nothing that a name contains', async () => {
    const at = await open()
    for (const title of HARMFUL) {
      const line = `drv files get /Hostile/${title[0]}`
      await polled(() => at.completed(line)).toEqual(['files', 'get', `/Hostile/${title}`])
    }
    for (const title of UNNAMEABLE) {
      const word = `/Hostile/${title[0]}`
      expect(await at.completed(`drv files get ${word}`)).toEqual(['files', 'get', word])
    }
    const screen = await at.shows('drv files get /Hostile/', /figures|quoted/)
    expect(screen).not.toContain('\u001b[2Jred')
    expect(existsSync(join(world.folder, 'harm'))).toBe(false)
  })
})

test('IDs of the last list at a terminal are offered where an ID is expected', async context => {
  if (missingTerminal) context.skip(missingTerminal)
  const env = {...world.env, XDG_CACHE_HOME: join(world.folder, 'listed')}
  const id = await world.make('Listed.txt', 'root', 'x')
  const list = startAtTerminal(['files', 'list'], {env})
  expect(await list.ended).toBe(0)
  expect(await asked(['fish', 'files', 'get', id.slice(0, 8)], env)).toEqual([`${id}\tListed.txt`])
  expect(await asked(['bash', 'drv files get ', ''], env)).not.toContain(id)
  expect(await asked(['fish', 'revisions', 'get', id, ''], env)).toEqual(['head'])
  const revisions = startAtTerminal(['revisions', 'list', '/Listed.txt'], {env})
  expect(await revisions.ended).toBe(0)
  const [revision] = (await world.drv('revisions list', id)).items
  const found = [expect.stringMatching(`^${revision.id}`), 'head']
  expect(await asked(['fish', 'revisions', 'get', id, ''], env)).toEqual(found)
  expect(await asked(['fish', 'revisions', 'get', '/Listed.txt', ''], env)).toEqual(found)
  expect(await asked(['fish', 'revisions', 'get', '/Reports', ''], env)).toEqual(['head'])
})

test('cached names are per profile, readable by their user only, and deleted at sign-out', async () => {
  const env = {...world.env, XDG_CACHE_HOME: join(world.folder, 'kept')}
  const directory = join(env.XDG_CACHE_HOME, 'drv/completion')
  await polled(() => asked(['fish', 'files', 'get', '/Rep'], env)).toEqual(['/Reports/\tfolder'])
  const [profile = ''] = readdirSync(directory)
  const [file = ''] = readdirSync(join(directory, profile))
  expect(statSync(join(directory, profile)).mode & 0o777).toBe(0o700)
  expect(statSync(join(directory, profile, file)).mode & 0o777).toBe(0o600)
  const late = await world.make('Report of later', 'root')
  expect(await asked(['fish', 'files', 'get', '/Rep'], env)).toEqual(['/Reports/\tfolder'])
  // Folders of another user are not offered.
  const others = (await world.as('other')).env
  expect(
    await asked(['fish', 'files', 'get', '/Rep'], {...env, DRV_TOKEN: others.DRV_TOKEN!}),
  ).toEqual([])
  expect(await world.run('auth logout', [], {env})).toMatchObject({code: 0})
  expect(readdirSync(directory)).toEqual([])
  await polled(() => asked(['fish', 'files', 'get', '/Report '], env)).toHaveLength(1)
  await world.drv('files delete', late, '--yes')
})

test('prints nothing and sends nothing if nobody is signed in, or nothing responds', async () => {
  const {DRV_TOKEN: _, ...signedOut} = world.env
  const lines = async (env: Readonly<Record<string, string>>) =>
    runDrv(['__complete', 'zsh', 'files', 'get', '/Rep'], {env, cwd: world.folder})
  const nothing = {code: 0, stdout: 'words\n', stderr: ''}
  expect(await lines(signedOut)).toMatchObject(nothing)
  expect(await lines({...world.env, DRV_PROFILE: 'no such one'})).toMatchObject(nothing)
  const silent = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void silent.close())
  await new Promise(resolve => silent.once('listening', resolve))
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  expect(await lines({...world.env, DRV_BASE_URL: url, DRV_AUTH_URL: url})).toMatchObject(nothing)
  expect(
    await lines({...world.env, DRV_BASE_URL: 'http://127.0.0.1:9', DRV_AUTH_URL: ''}),
  ).toMatchObject(nothing)
})

test('`drv autocomplete` is an alias of `drv completion`', async () => {
  expect(await world.run('autocomplete')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('drv completion --help'),
  })
})
