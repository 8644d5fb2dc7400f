import {execFile} from 'node:child_process'
import {existsSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {promisify} from 'node:util'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {runHere} from '../../support/here.js'
import {missingTerminal, startAtTerminal} from '../../support/terminal.js'
import {startWorld, type World} from '../../support/world.js'

let world: World
beforeAll(async () => {
  world = await startWorld({}, runHere)
})
afterAll(() => world.close())

const isThere = async (id: string) => (await world.run('files get', [id])).code === 0

describe('destructive commands, without a terminal', () => {
  test('end with code 2, and standard input is not taken as an answer', async () => {
    const id = await world.make('kept.txt', 'root', 'kept')
    for (const [command, ...args] of [
      ['files delete', id],
      ['files empty-trash'],
      ['drives delete', 'ID'],
      ['revisions delete', id, 'head'],
      ['permissions insert', id, '--role', 'owner', '--type', 'user', '--value', 'a@example.com'],
      ['permissions patch', id, 'P', '--transfer-ownership', '--role', 'owner'],
    ] as const) {
      const result = await world.run(command, [...args, '--verbose'], {input: 'y\ny\n'})
      expect(result.code).toBe(2)
      expect(result.stderr).toRead()
      expect(result.stderr).toContain('0 requests')
    }
    expect(await isThere(id)).toBe(true)
    await world.drv('files delete', id, '-y')
    expect(await isThere(id)).toBe(false)
  })

  test('removing a file from its only folder requires --yes', async () => {
    const folder = await world.make('folder', 'root')
    const id = await world.make('in.txt', folder, 'in')
    for (const [command, ...args] of [
      ['children delete', folder, id],
      ['parents delete', id, folder],
    ] as const) {
      const result = await world.run(command, args)
      expect(result.code).toBe(2)
      expect(result.stderr).toRead()
    }
    expect(await world.children(folder)).toHaveLength(1)
    await world.drv('children delete', folder, id, '--yes')
    expect(await world.children(folder)).toEqual([])
  })

  test('removing your own access requires --yes; the user is requested once', async () => {
    const id = await world.make('shared.txt', 'root', 'shared')
    const {permissionId} = await world.drv('about get')
    const value = ['--type', 'user', '--value', 'ada@example.com', '--no-send-notification-emails']
    const other = await world.drv('permissions insert', id, '--role', 'reader', ...value)
    const own = await world.run('permissions delete', [id, permissionId, '--verbose'])
    expect(own.code).toBe(2)
    expect(own.stderr).toRead()
    expect(own.stderr).toContain('about?')
    const result = await world.run('permissions delete', [id, other.id, '--verbose'])
    expect(result.code).toBe(0)
    expect(result.stderr).not.toContain('about?')
  })

  test('push and pull --delete', async () => {
    const folder = await world.make('mirror', 'root')
    await world.make('gone.txt', folder, 'gone')
    world.file('here.txt', 'here')
    for (const [command, ...args] of [
      ['push', `${world.folder}/`, folder, '--delete', '--verbose'],
      ['pull', `id:${folder}`, world.folder, '--delete', '--verbose'],
    ] as const) {
      const result = await world.run(command, args)
      expect(result.code).toBe(2)
      expect(result.stderr).toRead()
      expect(result.stderr).toContain('0 requests')
    }
    expect(await world.children(folder)).toHaveLength(1)
  })
})

describe.skipIf(missingTerminal !== undefined)('destructive commands, at a terminal', () => {
  test('show the impact, and ask for confirmation', async () => {
    const folder = await world.make('Reports', 'root')
    await world.make('a.txt', folder, 'x'.repeat(1024))
    const inner = await world.make('old', folder)
    await world.make('b.txt', inner, 'x'.repeat(1024))
    const first = startAtTerminal(['files', 'delete', folder], {env: world.env})
    await first.shows(/the folder Reports, with 3 items \(2\.0 KiB\): .*a\.txt/)
    await first.shows(/Delete permanently\?.*\(y\/N\)/)
    first.type('n\r')
    expect(await first.ended).toBe(130)
    expect(await isThere(folder)).toBe(true)
    const second = startAtTerminal(['files', 'delete', folder], {env: world.env})
    await second.shows(/\(y\/N\)/)
    second.type('y\r')
    expect(await second.ended).toBe(0)
    expect(await isThere(folder)).toBe(false)
  })

  test('show the items in the trash, and in a shared drive', async () => {
    const id = await world.make('thrown.txt', 'root', 'thrown')
    await world.drv('files trash', id)
    const trash = startAtTerminal(['files', 'empty-trash'], {env: world.env})
    await trash.shows(/This will permanently delete 1 item \(6 B\): thrown\.txt/)
    trash.type('y\r')
    expect(await trash.ended).toBe(0)
    const {id: drive} = await world.drv('drives insert', '--name', 'Field notes')
    const drop = startAtTerminal(['drives', 'delete', drive], {env: world.env})
    await drop.shows(/This will permanently delete the shared drive Field notes \(empty\)/)
    drop.type('y\r')
    expect(await drop.ended).toBe(0)
  })

  test('fail with --no-input instead of asking', async () => {
    const id = await world.make('stays.txt', 'root', 'stays')
    const drv = startAtTerminal(['files', 'delete', id, '--no-input'], {env: world.env})
    expect(await drv.ended).toBe(2)
    expect(await isThere(id)).toBe(true)
  })

  test('push --delete shows the items to trash, with their contents', async () => {
    const folder = await world.make('target', 'root')
    const inner = await world.make('gone', folder)
    await world.make('deep.txt', inner, '12345')
    world.file('pushed.txt', 'x')
    const env = {...world.env}
    const drv = startAtTerminal(['push', `${world.folder}/`, folder, '--delete'], {env})
    await drv.shows(/This will move to the trash: the folder gone, with 1 item \(5 B\): deep\.txt/)
    drv.type('n\r')
    expect(await drv.ended).toBe(130)
    expect((await world.children(folder)).map(({title}) => title)).toEqual(['gone'])
  })
})

describe('read-only', () => {
  test.each([
    ['files trash', ['/a.txt', '--read-only'], {}, 'omit --read-only'],
    ['files insert', ['--title', 'x'], {DRV_READ_ONLY: '1'}, 'unset DRV_READ_ONLY'],
    ['push', ['.', '/'], {DRV_READ_ONLY: 'true'}, 'unset DRV_READ_ONLY'],
  ])('%s %j %j sends nothing and ends with 13', async (command, args, env, lift) => {
    const result = await world.run(command, [...args, '--verbose'], {env})
    expect(result.code).toBe(13)
    expect(result.stderr).toContain(lift)
    expect(result.stderr).toContain('0 requests')
  })

  test('lists, downloads and dry runs are allowed', async () => {
    const env = {DRV_READ_ONLY: '1'}
    const id = await world.make('read.txt', 'root', 'read')
    expect((await world.run('files get', [id, '-o', '-'], {env})).stdout).toBe('read')
    expect((await world.run('files list', [], {env})).code).toBe(0)
    expect((await world.run('files trash', [id, '--dry-run'], {env})).code).toBe(0)
    const failed = await world.run('files trash', [id, '--json'], {env})
    expect(JSON.parse(failed.stderr).error).toMatchObject({
      code: 'readOnly',
      exit: 13,
      retryable: false,
    })
  })

  test('is stored with a profile until sign-out, whatever the flags', async () => {
    const {DRV_TOKEN: token, ...rest} = world.env
    const env = {...rest, DRV_TOKEN: '', DRV_PROFILE: 'looker'}
    const run = (command: string, args: string[] = [], input = '') =>
      world.run(command, args, {env, input})
    const signIn = ['--with-token', '--insecure-storage']
    expect((await run('auth login', [...signIn, '--read-only'], token)).code).toBe(0)
    const insert = await run('files insert', ['--title', 'x'])
    expect(insert.code).toBe(13)
    expect(insert.stderr).toRead()
    expect((await run('auth status', ['--json'])).json()).toMatchObject([
      {readOnly: true, readOnlySource: 'profile', works: true},
    ])
    expect((await run('files insert', ['--title', 'x', '--no-read-only'])).code).toBe(2)
    const lifted = await world.run('files insert', ['--title', 'x'], {
      env: {...env, DRV_READ_ONLY: '0'},
    })
    expect(lifted.code).toBe(13)
    // Neither DRV_TOKEN nor another sign-in lifts it.
    const other = await world.run('files insert', ['--title', 'x'], {
      env: {...env, DRV_TOKEN: token},
    })
    expect(other.code).toBe(13)
    expect((await run('auth login', signIn, token)).code).toBe(0)
    expect((await run('files insert', ['--title', 'x'])).code).toBe(13)
    expect((await run('auth logout')).code).toBe(0)
    expect((await run('auth login', signIn, token)).code).toBe(0)
    expect((await run('files insert', ['--title', 'x'])).code).toBe(0)
  })
})

describe('--curl', () => {
  const awkward = 'q"u\'o\nt\\e $HOME `id` 漢 é;type=x'
  /** Runs the output of `drv … --curl` in a shell. */
  async function curl(command: string, ...args: string[]): Promise<string> {
    const {stdout, stderr} = await world.run(command, [...args, '--curl'])
    expect(stderr).toBe('')
    expect(stdout).toMatch(/^curl /)
    expect(stdout).not.toContain(world.env.DRV_TOKEN)
    const ran = await promisify(execFile)('sh', ['-c', stdout], {
      cwd: world.folder,
      env: {...world.env},
    })
    return ran.stdout
  }

  test('the lines have the effect of the command', async () => {
    const name = 'a ;"b\'$x`[1].txt'
    world.file(name, 'content')
    const made = JSON.parse(await curl('files insert', name, '--title', awkward))
    expect(await world.drv('files get', made.id)).toMatchObject({title: awkward, fileSize: '7'})
    await curl('files patch', made.id, '--title', `${awkward}2`, '--description', "it's")
    expect(await world.drv('files get', made.id)).toMatchObject({
      title: `${awkward}2`,
      description: "it's",
    })
    world.file(name, 'more content')
    await curl('files update', made.id, name)
    expect((await world.run('files get', [made.id, '-o', '-'])).stdout).toBe('more content')
    await curl('files get', made.id, '-o', "o'ut.txt")
    expect(readFileSync(join(world.folder, "o'ut.txt"), 'utf8')).toBe('more content')
    expect(JSON.parse(await curl('files list', '--q', `title = "${'x'}'s [a]{b}"`)).items).toEqual(
      [],
    )
    await curl('files trash', made.id)
    expect((await world.drv('files get', made.id)).labels.trashed).toBe(true)
    await curl('files delete', made.id)
    expect(await isThere(made.id)).toBe(false)
  })

  test('sends no changes and never asks, but resolves paths', async () => {
    const id = await world.make('byname.txt', 'root', 'x')
    const {stdout, code} = await world.run('files delete', ['/byname.txt', '--curl', '--json'])
    expect(code).toBe(0)
    expect(stdout).toContain(`/files/${id}?`)
    expect(await isThere(id)).toBe(true)
  })
})

test('--dry-run of commands without operations shows the changes, and makes none', async () => {
  const data = join(world.folder, 'own')
  const env = {XDG_DATA_HOME: data}
  const local = async (command: string, ...args: string[]) =>
    world.run(`local ${command}`, args, {env})
  await local('user create', 'ada')
  await local('app create', 'Mine', '--client-id', 'mine')
  const snapshot = async () =>
    [
      (await local('user list')).stdout,
      (await local('app list')).stdout,
      (await local('org list')).stdout,
    ].join()
  const before = await snapshot()
  for (const [command, shown, ...args] of [
    ['user create', 'create\tuser bob', 'bob'],
    ['user suspend', 'suspend\tuser ada', 'ada'],
    ['user delete', 'delete\tthe user ada', 'ada'],
    ['app create', 'create\tapp Other', 'Other'],
    ['app update', 'update\tapp Mine', 'mine', '--name', 'New'],
    ['app suspend', 'suspend\tapp Mine', 'mine'],
    ['app delete', 'delete\tapp Mine', 'mine'],
    ['org create', 'create\torganization acme', 'acme'],
    ['token', 'create\ttoken'],
  ] as const) {
    const result = await local(command, ...args, '--dry-run')
    expect(result.stderr).toBe('')
    expect(result.stdout).toContain(shown)
  }
  expect(await snapshot()).toBe(before)
})

test('--dry-run of sign-in and sign-out changes no file', async () => {
  const {DRV_TOKEN: token = '', XDG_CONFIG_HOME: config = '', ...rest} = world.env
  const env = {...rest, XDG_CONFIG_HOME: join(config, 'dry'), DRV_TOKEN: '', DRV_PROFILE: 'dry'}
  const run = (command: string, args: string[] = [], input = '') =>
    world.run(command, args, {env, input})
  const signIn = ['--with-token', '--insecure-storage']
  expect((await run('auth login', [...signIn, '-n'], token)).stdout).toRead()
  expect(existsSync(join(env.XDG_CONFIG_HOME, 'drv'))).toBe(false)
  expect((await run('auth login', signIn, token)).code).toBe(0)
  const file = join(env.XDG_CONFIG_HOME, 'drv', 'config.json')
  const before = readFileSync(file, 'utf8')
  expect((await run('auth logout', ['-n'])).stdout).toRead()
  expect((await run('auth remove', ['dry', '-n'])).stdout).toRead()
  expect((await run('auth switch', ['dry', '-n'])).stdout).toRead()
  expect(readFileSync(file, 'utf8')).toBe(before)
})
