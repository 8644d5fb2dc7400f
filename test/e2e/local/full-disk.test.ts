import {once} from 'node:events'
import {mkdirSync, rmSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {beforeEach, describe, expect, test} from 'vitest'
import {
  freshEnvironment,
  type Result,
  runDrv,
  startDrv,
  temporaryFolder,
} from '../../support/drv.js'
import {fillDisk, missingMount, mountDisk, readOnlyView, remount} from '../../support/mount.js'

/** Errors about the disk of the local service's data directory, as users see them. */

const MIB = 1024 * 1024

let home: string
let env: Record<string, string>
beforeEach(({onTestFinished}) => {
  const {path, remove} = temporaryFolder()
  home = path
  env = freshEnvironment(home)
  // Runs after the unmounts, which were registered later.
  onTestFinished(remove)
})

const drv = (command: string, ...args: string[]) => runDrv([...command.split(' '), ...args], {env})

describe('every command that opens unusable data reports it in one sentence', () => {
  const commands = [
    'local serve',
    'local token',
    'local user list',
    'local app list',
    'local org list',
  ]

  async function expectRefusal(data: string, path = data): Promise<void> {
    const results = await Promise.all([
      ...commands.map(command => drv(command, '--data', data)),
      drv('local run', '--data', data, '--', 'true'),
      // With the local service.
      runDrv(['files', 'list'], {env: {...env, XDG_DATA_HOME: join(data, '..', '..')}}),
    ])
    for (const {code, stdout, stderr} of results) {
      expect({code, stdout}).toEqual({code: 1, stdout: ''})
      expect(stderr).toRead()
      expect(stderr).toContain(path)
    }
  }

  test('a file that is not a database', async () => {
    const data = join(home, 'drv', 'local')
    mkdirSync(data, {recursive: true})
    writeFileSync(join(data, 'drv.db'), 'Shopping list\n'.repeat(100))
    await expectRefusal(data, `${data}/drv.db`)
  })

  test('a directory that cannot be created', async () => {
    writeFileSync(join(home, 'drv'), '')
    const data = join(home, 'drv', 'local')
    await expectRefusal(data)
  })

  test('a read-only disk', async ({skip}) => {
    skip(missingMount !== undefined, missingMount)
    const source = join(home, 'source')
    await drv('local token', '--data', join(source, 'drv', 'local'))
    const data = join(readOnlyView(source, join(home, 'view')), 'drv', 'local')
    await expectRefusal(data)
  })
})

describe('a disk that fills while the service runs', () => {
  beforeEach(({skip}) => skip(missingMount !== undefined, missingMount))

  test('every command that writes ends at once with 7', async () => {
    const data = mountDisk(join(home, 'data'), 'size=6m')
    const child = startDrv(['local', 'serve', '--quiet', '--data', data], {env})
    let told = ''
    child.stderr.on('data', (chunk: Buffer) => (told += chunk.toString()))
    try {
      const [line] = (await once(child.stdout, 'data')) as [Buffer]
      const {base_url: url} = JSON.parse(line.toString()) as {base_url: string}
      const token = (await drv('local token', '--data', data)).stdout.trim()
      Object.assign(env, {DRV_BASE_URL: url, DRV_AUTH_URL: url, DRV_TOKEN: token})
      const large = join(home, 'large.bin')
      writeFileSync(large, Buffer.alloc(12 * MIB, 'large '))
      const middle = join(home, 'middle.bin')
      writeFileSync(middle, Buffer.alloc(7 * MIB, 'middle '))
      const folder = join(home, 'folder')
      mkdirSync(folder)
      for (const name of ['a', 'b', 'c']) writeFileSync(join(folder, name), Buffer.alloc(7 * MIB))

      const sentence = `Cannot write to ${data}: the disk is full.`
      const expectFull = ({code, stdout, stderr}: Result) => {
        expect({code, stdout}).toEqual({code: 7, stdout: ''})
        expect(stderr).not.toContain('! attempt')
        expect(stderr).toContain(`Error: ${sentence}\n`)
      }
      expectFull(await drv('files insert', middle, '--debug'))
      expectFull(await drv('files insert', large, '--debug'))
      expectFull(await drv('push', folder, '/', '--debug'))
      expect((await drv('files list', '--fields', 'items(title)')).stdout).toBe('folder\n')

      fillDisk(data)
      let last = await drv('files insert', '--title', 'some')
      for (let n = 0; n < 10 && last.code === 0; n++) {
        last = await drv('files insert', '--title', 'some')
      }
      expectFull(last)
      expect((await drv('files list', '--q', "title = 'folder'")).stdout).toContain('folder')
      expect(told).toBe(`The service failed: ${sentence}\n`)

      rmSync(join(data, 'fill'))
      remount(data, 'size=64m')
      for (const file of [middle, large]) expect((await drv('files insert', file)).code).toBe(0)
      expect((await drv('push', folder, '/')).code).toBe(0)
    } finally {
      child.kill()
      await once(child, 'close')
    }
  }, 60_000)
})
