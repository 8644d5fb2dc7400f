import {mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, beforeEach, describe, expect, test} from 'vitest'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'

let world: World
let other: World
beforeAll(async () => {
  world = await startWorld({}, runHere)
  other = await world.as('ada')
})
afterAll(() => world.close())

const directory = () => join(world.env.XDG_STATE_HOME!, 'drv/history')
const historyText = () =>
  readdirSync(directory())
    .map(name => readFileSync(join(directory(), name), 'utf8'))
    .join('')

beforeEach(() => rmSync(directory(), {recursive: true, force: true}))

const titleOf = async (id: string) => (await world.drv('files get', id)).title as string

interface Run {
  readonly id: string
  readonly command: string
  readonly changes: number
  readonly state: string
}
const runs = (...args: string[]): Promise<Run[]> => world.drv('history', ...args)

describe('history', () => {
  test('lists commands with changes, the newest first, and no others', async () => {
    const id = await world.make('a', 'root', 'a')
    await world.drv('files get', id)
    await world.drv('files trash', id, '--dry-run')
    await world.drv('files patch', id, '--title', 'two words')
    await world.drv('files trash', id)
    expect(await runs()).toMatchObject([
      {command: `drv files trash ${id} --json`, changes: 1, state: 'done'},
      {command: `drv files patch ${id} --title 'two words' --json`, changes: 1, state: 'done'},
    ])
  })

  test('is readable by its owner only, and has no token and no content', async () => {
    const token = world.env.DRV_TOKEN!
    const path = world.file('content.txt', 'the content itself')
    await world.drv('files insert', path, '--description', `about ${token}`)
    const [name] = readdirSync(directory())
    expect(statSync(join(directory(), name!)).mode & 0o777).toBe(0o600)
    expect(statSync(directory()).mode & 0o777).toBe(0o700)
    expect(historyText()).not.toContain(token)
    expect(historyText()).not.toContain('the content itself')
  })

  test('--steps lists changes by path, also of a folder', async () => {
    await world.drv('mkdir', '/in', '/out')
    const folder = (await world.drv('stat', '/in')).id
    await world.make('b', folder, 'b')
    await world.drv('rename', '/in/b', 'c')
    await world.drv('rm', '/in/c')
    const steps = await runs('--steps', '--path', '/in/')
    expect(steps).toMatchObject([
      {operation: 'files.trash', item: '/in/c', undoable: true},
      {operation: 'files.patch', item: '/in/b', undoable: true},
      {operation: 'files.insert', item: '/in', undoable: true},
    ])
    expect(await runs('--path', '/nowhere')).toEqual([])
    expect(await runs('--since', '2099-01-01')).toEqual([])
    expect((await world.run('history', ['--since', 'sometime'])).code).toBe(2)
  })

  test('records a failed change as failed', async () => {
    const {code} = await world.run('files trash', ['nothing-there'])
    expect(code).toBe(5)
    expect(await runs()).toMatchObject([{changes: 0, state: 'failed'}])
    expect(await runs('--steps')).toMatchObject([{undoable: false, reason: 'the change failed'}])
    expect((await world.run('undo', ['--yes'])).code).toBe(5)
  })

  test('reads a file whose last line a killed process left incomplete', async () => {
    const id = await world.make('torn', 'root', 'a')
    await world.drv('files trash', id)
    const path = join(directory(), readdirSync(directory())[0]!)
    writeFileSync(path, '{"run":"0123456789","step":7,"opera', {flag: 'a'})
    await world.drv('files untrash', id)
    expect((await runs()).map(({state}) => state)).toEqual(['done', 'done'])
  })
})

describe('undo', () => {
  test('leaves alone what somebody has changed since, unless --force names it', async () => {
    const [mine, shared] = [await world.make('m', 'root', 'm'), await world.make('s', 'root', 's')]
    const record = (title: string) => JSON.stringify({fileId: `/${title}`, title: `new ${title}`})
    const records = world.file('titles.ndjson', `${record('m')}\n${record('s')}\n`)
    await world.run('files patch', ['--from', records])
    // Another title: a conflict. A star: none.
    await world.drv('files patch', shared, '--title', 'by somebody', '--no-history')
    await world.drv('star', mine, '--no-history')
    const {code, stderr} = await world.run('undo', ['--yes'])
    expect(code).toBe(12)
    expect(stderr).toRead()
    expect([await titleOf(mine), await titleOf(shared)]).toEqual(['m', 'by somebody'])
    expect((await runs()).at(-1)).toMatchObject({state: 'partly undone'})

    const unknown = await world.run('undo', ['--yes', '--force', 'other.txt'])
    expect(unknown.code).toBe(2)
    expect(unknown.stderr).toRead()
    expect((await world.run('undo', ['--yes', '--force', mine])).code).toBe(12)
    expect(await titleOf(shared)).toBe('by somebody')
    expect((await world.run('undo', ['--yes', '--force', '/s'])).code).toBe(0)
    expect([await titleOf(mine), await titleOf(shared)]).toEqual(['m', 's'])
    expect((await runs()).at(-1)).toMatchObject({state: 'undone'})
  })

  test.each([0, 1, 2])('keeps a new folder while a file in it is kept: %j', async index => {
    const names = ['x.txt', 'y.txt', 'z.txt']
    const source = `kept-${index}`
    mkdirSync(join(world.folder, source))
    for (const name of names) world.file(`${source}/${name}`, name)
    await world.run('push', [join(world.folder, source), '/'])
    const kept = `/${source}/${names[index]}`
    await world.drv('files update', kept, world.file('other.txt', 'by somebody'), '--no-history')
    const preview = await world.run('undo', ['--dry-run'])
    expect(preview.stderr).toRead()
    const {code, stderr} = await world.run('undo', ['--yes'])
    expect(code).toBe(12)
    expect(stderr).toRead()
    const left: Array<{title: string}> = await world.drv('ls', `/${source}`)
    expect(left.map(({title}) => title)).toEqual([names[index]])
  })

  test('undoes several commands that fill, trash and restore a folder', async () => {
    await world.drv('mkdir', '/filled')
    const folder = (await world.drv('stat', '/filled')).id as string
    await world.drv('mkdir', '/filled/old')
    await world.drv('rm', '/filled')
    await world.drv('restore', folder)
    await world.drv('mkdir', '/filled/new')
    const ids = (await runs()).map(({id}) => id)
    const {code, stderr} = await world.run('undo', [...ids, '--yes'])
    expect(code).toBe(0)
    expect(stderr).toContain('Undid 5 changes')
    expect((await runs()).slice(1).map(({state}) => state)).toEqual(ids.map(() => 'undone'))
    expect((await world.drv('files get', folder)).labels.trashed).toBe(true)
  })

  test('undoes command after command, and an undo by its ID', async () => {
    const id = await world.make('first', 'root', 'a')
    await world.drv('rename', id, 'second')
    await world.drv('rename', id, 'third')
    await world.run('undo', ['--yes'])
    expect(await titleOf(id)).toBe('second')
    expect((await runs('--steps')).slice(0, 2)).toMatchObject([
      {operation: 'files.patch', state: 'done', undoable: true},
      {operation: 'files.patch', state: 'undone', undoable: false, reason: 'it is already undone'},
    ])
    await world.run('undo', ['--yes'])
    expect(await titleOf(id)).toBe('first')
    expect((await world.run('undo', ['--yes'])).code).toBe(5)
    const [newest] = await runs()
    await world.run('undo', [newest!.id.slice(0, 6), '--yes'])
    expect(await titleOf(id)).toBe('second')
  })

  test('needs --yes without a terminal, and sends nothing with --dry-run', async () => {
    const id = await world.make('asked', 'root', 'a')
    await world.drv('rename', id, 'renamed')
    expect((await world.run('undo')).code).toBe(2)
    expect((await world.run('undo', ['--dry-run'])).code).toBe(0)
    expect(await titleOf(id)).toBe('renamed')
    expect((await world.run('undo', ['--yes', '--read-only'])).code).toBe(13)
    expect(await runs()).toHaveLength(1)
    expect((await world.run('undo', ['ffff', '--yes'])).code).toBe(5)
  })

  test('takes back a push: new, replaced and trashed files', async () => {
    const source = join(world.folder, 'site')
    await world.drv('mkdir', '/site')
    const folder = (await world.drv('stat', '/site')).id
    const [changed, removed] = [
      await world.make('changed.txt', folder, 'before'),
      await world.make('removed.txt', folder, 'kept'),
    ]
    const {mkdirSync} = await import('node:fs')
    mkdirSync(join(source, 'deep'), {recursive: true})
    writeFileSync(join(source, 'changed.txt'), 'after')
    writeFileSync(join(source, 'deep/new.bin'), Buffer.alloc(6 * 1024 * 1024, 'x'))
    const pushed = await world.run('push', [`${source}/`, '/site', '--delete', '--yes'])
    expect(pushed.code, pushed.stderr).toBe(0)
    expect((await world.run('cat', [changed])).stdout).toBe('after')
    expect((await world.drv('files get', removed)).labels.trashed).toBe(true)

    const undone = await world.run('undo', ['--yes'])
    expect(undone.code, undone.stderr).toBe(0)
    expect((await world.run('cat', [changed])).stdout).toBe('before')
    const left = await world.children(folder)
    expect(left.map(({title}) => title as string).sort()).toEqual(['changed.txt', 'removed.txt'])
  })

  test('does not touch the history of another service', async () => {
    const id = await world.make('elsewhere', 'root', 'a')
    await world.drv('rename', id, 'there')
    const env = {DRV_BASE_URL: world.url.replace('127.0.0.1', 'localhost')}
    const {code} = await world.run('undo', ['--yes'], {
      env: {...env, DRV_AUTH_URL: env.DRV_BASE_URL},
    })
    expect(code).toBe(5)
    expect(await titleOf(id)).toBe('there')
    expect(other.env.DRV_BASE_URL).toBe(world.url)
  })

  test('a role that somebody had before is restored or kept, never removed', async () => {
    const people = async (id: string) =>
      ((await world.drv('permissions list', id)).items as Array<Record<string, string>>)
        .filter(({role}) => role !== 'owner')
        .map(({emailAddress, type, role}) => `${emailAddress ?? type} ${role}`)
        .sort()
    const insert = (...args: string[]) =>
      world.drv('permissions insert', ...args, '--role', 'reader', '--type', 'user')
    const one = await world.make('one', 'root', 'a')
    await world.drv('share', one, 'eve@example.com', '--role', 'writer')
    await insert(one, '--value', 'eve@example.com')
    await insert(one, '--value', 'ada@example.com')
    expect(await people(one)).toEqual(['ada@example.com reader', 'eve@example.com reader'])
    expect((await world.run('undo', ['--yes'])).code).toBe(0)
    expect((await world.run('undo', ['--yes'])).code).toBe(0)
    expect(await people(one)).toEqual(['eve@example.com writer'])

    // A batch of a hundred has no room for reading.
    const lines = (line: (index: number) => object) =>
      Array.from({length: 100}, (_, index) => `${JSON.stringify(line(index))}\n`).join('')
    const titles = world.file(
      'titles.ndjson',
      lines(index => ({title: `full ${index}`})),
    )
    await world.drv('files insert', '--from', titles)
    const grant = (role: string) =>
      lines(index => ({
        ...{fileId: `/full ${index}`, role, type: 'user', value: 'ada@example.com'},
      }))
    for (const role of ['writer', 'reader']) {
      const source = world.file('grants.ndjson', grant(role))
      await world.drv('permissions insert', '--from', source, '--no-send-notification-emails')
    }
    const {code, stderr} = await world.run('undo', ['--yes'])
    expect(code).toBe(12)
    expect(stderr.split('\n')[0]!.replace(/full \d+/, 'full')).toRead()
    const [first] = (await world.children('root')).filter(({title}) => title === 'full 0')
    expect(await people(first.id)).toEqual(['ada@example.com reader'])
  })

  test('takes the role before from what share has read', async () => {
    const id = await world.make('roles', 'root', 'a')
    await world.drv('share', id, 'eve@example.com', '--role', 'writer')
    await world.drv('share', id, 'eve@example.com', '--role', 'reader')
    await world.drv('unshare', id, 'eve@example.com')
    const role = async () =>
      (await world.drv('permissions list', id)).items.find(
        (one: {emailAddress?: string}) => one.emailAddress === 'eve@example.com',
      )?.role
    const seen = [await role()]
    for (let times = 0; times < 3; times++) {
      expect((await world.run('undo', ['--yes'])).code).toBe(0)
      seen.push(await role())
    }
    expect(seen).toEqual([undefined, 'reader', 'writer', undefined])
  })
})

test('the options of the history are checked', async () => {
  expect((await world.run('config set', ['history.days', '0'])).code).toBe(2)
  expect((await world.run('config set', ['history.full', 'maybe'])).code).toBe(2)
  await world.run('config set', ['history.days', '30'])
  expect((await world.run('config get', ['history.days'])).stdout).toBe('30\n')
  await world.run('config unset', ['history.days'])
  expect((await world.run('config get', ['history.days'])).stdout).toBe('90\n')
})

test('messages say what undo does, and what it cannot do', async () => {
  const texts: string[] = []
  const say = async (command: string, ...args: string[]) => {
    const {stdout, stderr} = await world.run(command, args)
    texts.push(`$ drv ${command} ${args.join(' ')}\n${stdout}${stderr}`)
  }
  await say('undo', '--yes')
  await say('undo', 'abcdef', '--yes')
  await world.drv('mkdir', '/texts')
  const folder = (await world.drv('stat', '/texts')).id
  for (const title of ['x', 'y', 'z']) await world.make(title, folder, title)
  await world.drv('share', '/texts/x', 'eve@example.com')
  await say('undo')
  await say('undo', '--dry-run')
  await world.drv('rm', '/texts/y', '--permanently', '--yes')
  await say('undo', '--yes')
  await world.drv('rename', '/texts/z', 'other')
  await world.drv('rename', '/texts/other', 'changed', '--no-history')
  await say('undo', '--yes')
  await say('config set', 'history.days', 'many')
  await say('config list', '--format', 'csv')
  expect(texts.join('\n')).toRead()
})

test('a copy has its own name, and a command of another profile says so', async () => {
  const folder = await world.make('copies', 'root')
  await world.make('original', folder, 'a')
  await world.drv('cp', '/copies/original', '/copies/second')
  expect(await runs('--steps')).toMatchObject([{operation: 'files.copy', item: '/copies/second'}])
  const [{id} = {id: ''}] = await runs()
  const others = await world.run('history', ['--format', 'ids', '--profile', 'another'])
  expect(others.stdout).toBe('')
  const refused = await world.run('undo', [id, '--yes', '--profile', 'another'])
  expect(refused.code).toBe(5)
  expect(refused.stderr.replace(id, 'ID')).toRead()
  expect((await world.drv('undo', '--yes'))[0].result).toMatchObject({item: '/copies/second'})
})
