import {spawn} from 'node:child_process'
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test} from 'vitest'
import {readFaultPlan} from '#lib/service/faults/read.js'
import {BINARY} from '../../support/drv.js'
import {runHere} from '../../support/here.js'
import {fillDisk, missingMount, mountDisk, remount} from '../../support/mount.js'
import {startWorld, type World} from '../../support/world.js'

/** Local problems of transfers: full or read-only disks, and files that change. */

const MIB = 1024 * 1024
/** Content that is large enough for an upload session, and too large for the small disk. */
const LARGE = Buffer.alloc(9 * MIB, 'large ')
const SMALL = Buffer.alloc(MIB - 1, 'small ')

let world: World
let large: string
let small: string
beforeAll(async () => {
  world = await startWorld({}, runHere)
  const id = async (name: string, content: Buffer) =>
    (await world.drv('files insert', world.file(name, content), '--parent', top)).id as string
  const top = (await world.drv('files insert', '--title', 'tree', '--mime-type', FOLDER)).id
  large = await id('large.bin', LARGE)
  small = await id('small.bin', SMALL)
})
afterAll(() => world.close())

const FOLDER = 'application/vnd.google-apps.folder'

/** A separate file system in the world's folder, for one test. */
const disk = (name: string, options: string) => mountDisk(join(world.folder, name), options)

const state = () => readdirSync(join(world.env.XDG_STATE_HOME!, 'drv', 'transfers'))
const files = (path: string) =>
  readdirSync(path, {recursive: true, withFileTypes: true})
    .filter(entry => entry.isFile())
    .map(({name}) => name)
    .sort()

describe('a full disk', () => {
  beforeEach(({skip}) => skip(missingMount !== undefined, missingMount))

  test('stops a download, which resumes when there is space', async () => {
    const path = disk('full-one', 'size=4m')
    const target = join(path, 'large.bin')
    const args = [large, '--download', target]
    const full = await world.run('files get', args)
    expect(full.code).toBe(1)
    expect(full.stderr).toRead()
    // The received part is kept for the next run, under another name.
    expect(files(path)).toEqual([expect.stringMatching(/^\.large\.bin\.\w+\.part$/)])
    remount(path, 'size=16m')
    const {stderr} = await world.run('files get', [...args, '--debug'])
    expect(stderr).toMatch(/^GET \S+ 206 /m)
    expect(files(path)).toEqual(['large.bin'])
    expect(readFileSync(target).equals(LARGE)).toBe(true)
    expect(state()).toEqual([])
  })

  test('stops a small download, which leaves nothing', async () => {
    const path = disk('full-small', 'size=512k')
    const full = await world.run('files get', [small, '--download', path])
    expect(full.code).toBe(1)
    expect(full.stderr).toRead()
    expect(files(path)).toEqual([])
  })

  test('stops a pull, which downloads the rest when there is space', async () => {
    const path = disk('full-pull', 'size=4m')
    const full = await world.run('pull', ['/tree/', path])
    expect(full.code).toBe(1)
    expect(full.stderr).toRead()
    expect(existsSync(join(path, 'large.bin'))).toBe(false)
    remount(path, 'size=16m')
    const {created, unchanged, failed} = await world.drv('pull', '/tree/', path)
    expect({done: created + unchanged, failed}).toEqual({done: 2, failed: []})
    expect(files(path)).toEqual(['large.bin', 'small.bin'])
    expect(readFileSync(join(path, 'large.bin')).equals(LARGE)).toBe(true)
    expect(state()).toEqual([])
  })

  test('stops output to standard output', async () => {
    const full = openSync('/dev/full', 'w')
    onTestFinished(() => closeSync(full))
    const args = [BINARY, 'files', 'get', large, '--download', '-']
    const child = spawn(process.execPath, args, {env: world.env, stdio: ['ignore', full, 'pipe']})
    let stderr = ''
    child.stderr!.on('data', (chunk: Buffer) => (stderr += chunk))
    expect(await new Promise(settle => child.once('close', settle))).toBe(1)
    expect(stderr).toRead()
  })

  test.each([
    ['is full', 'size=64k', 'the disk is full'],
    ['takes nothing', 'ro', 'it is not writable'],
  ])('takes only the memory of transfers if their disk %s', async (name, options, why) => {
    const home = disk(`state ${name}`, options)
    fillDisk(home)
    const env = {XDG_STATE_HOME: home}
    const warning = `Warning: cannot save progress in ${join(home, 'drv')} (${why}). Interrupted transfers will restart from the beginning.\n`
    const history = `Warning: cannot record changes in ${join(home, 'drv/history')} (${why}). \`drv undo\` cannot undo this command.`
    const source = join(world.folder, `source ${name}`)
    mkdirSync(source)
    for (const one of ['1', '2']) writeFileSync(join(source, one), LARGE)
    const target = join(world.folder, `target ${name}`)
    for (const [command, ...args] of [
      ['files insert', join(source, '1')],
      ['push', source, '/'],
      ['pull', '/tree/', target],
      ['files get', large, '--download', join(target, 'one')],
    ] as const) {
      const result = await world.run(command, [...args, '--format', 'ndjson'], {env})
      expect(result.code).toBe(0)
      // Reported once, regardless of the number of files.
      expect(result.stderr.split('\n').filter(line => line.startsWith('Warning'))).toEqual([
        warning.trimEnd(),
        ...(command === 'push' || command === 'files insert' ? [history] : []),
      ])
      const quiet = await world.run(command, [...args, '--quiet'], {env})
      expect(quiet).toMatchObject({code: 0, stderr: ''})
    }
    expect(files(target)).toEqual(['large.bin', 'one', 'small.bin'])
    const isOwn = (file: string) => file !== 'fill' && !file.endsWith('.ndjson')
    expect(files(home).filter(isOwn)).toEqual([])
  })
})

describe('no permission', () => {
  beforeEach(({skip}) => skip(missingMount !== undefined, missingMount))

  test('stops a download', async () => {
    const path = disk('read-only', 'ro')
    for (const id of [large, small]) {
      const refused = await world.run('files get', [id, '--download', join(path, 'x')])
      expect(refused.code).toBe(1)
      expect(refused.stderr).toRead()
    }
    const pulled = await world.run('pull', ['/tree/', path])
    expect(pulled.code).toBe(1)
    expect(pulled.stderr).toRead()
    expect(state()).toEqual([])
  })
})

test.skipIf(!existsSync('/proc/version'))('nothing lands in /proc', async () => {
  const refused = await world.run('files get', [large, '--download', '/proc/x'])
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Cannot write to the folder /proc: '),
  })
  const pulled = await world.run('pull', ['/tree/', '/proc/x/y'])
  expect(pulled).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('/proc/x is on a read-only file system'),
  })
  expect(state()).toEqual([])
})

test('a target that is a folder, or whose folder is missing, is not changed', async () => {
  const {run, folder} = world
  mkdirSync(join(folder, 'own'))
  mkdirSync(join(folder, 'own', 'large.bin'))
  symlinkSync('own', join(folder, 'link'))
  for (const [target, code, words] of [
    ['own', 12, 'large.bin: it is a folder'],
    ['link', 12, 'large.bin: it is a folder'],
    ['no/such/x', 1, `The folder ${join(folder, 'no/such')} does not exist.`],
    ['no/such/', 1, `The folder ${join(folder, 'no/such')} does not exist.`],
    ['large.bin/x', 1, `The folder ${join(folder, 'large.bin')} does not exist.`],
    ['/dev/null', 12, 'not a regular file'],
  ] as const) {
    const result = await run('files get', [large, '--download', target, '--force'])
    expect(result.code, target).toBe(code)
    expect(result.stderr).toContain(words)
    expect(result.stderr).not.toContain('.part')
  }
  const pulled = await run('pull', ['/tree', join(folder, 'own/large.bin/../../large.bin')])
  expect(pulled.code).toBe(1)
  expect(files(join(folder, 'own'))).toEqual([])
  expect(state()).toEqual([])
})

describe('a file that changes while drv reads it', () => {
  let slow: World
  beforeAll(async () => {
    const rules = [
      {operations: '*', via: 'chunk', fault: 'slow', at: 'request', bytesPerSecond: 6e6},
    ]
    slow = await startWorld(
      {
        faults: readFaultPlan(JSON.stringify({rules})),
        onFault: () => onChunk(),
      },
      runHere,
    )
  })
  afterAll(() => slow.close())
  let onChunk = () => {}

  test.each([
    ['files insert', 1, 'Error: '],
    ['push', 9, 'Failed: changing.bin: '],
  ])('%s ignores it, and uploads it later', async (command, code, lead) => {
    const top = command.replace(' ', '-')
    await slow.drv('files insert', '--title', top, '--mime-type', FOLDER)
    const source = slow.file('changing.bin', LARGE)
    const args = command === 'push' ? [source, `/${top}`] : [source, '--title', top]
    onChunk = () => appendFileSync(source, 'more')
    const result = await slow.run(command, args)
    onChunk = () => {}
    expect(result.code).toBe(code)
    expect(result.stderr).toContain(
      `${lead}${source} changed while drv was reading it. The upload was canceled.`,
    )
    const made = `title = '${command === 'push' ? 'changing.bin' : top}' and mimeType != '${FOLDER}'`
    expect((await slow.drv('files list', '--q', made)).items).toEqual([])
    expect(await slow.drv('transfers list')).toEqual([])
    await slow.drv(command, ...args)
    expect((await slow.drv('files list', '--q', made)).items).toHaveLength(1)
  })
})
