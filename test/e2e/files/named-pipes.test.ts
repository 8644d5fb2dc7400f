import {spawn, spawnSync} from 'node:child_process'
import {mkdirSync, readdirSync, readlinkSync, writeFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {afterAll, beforeAll, beforeEach, expect, test} from 'vitest'
import {startDrv} from '../../support/drv.js'
import {startWorld, type World} from '../../support/world.js'

/** Named pipes where a command line names a file. */

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

let count = 0
let pipe: string
beforeEach(({skip}) => {
  skip(process.platform !== 'linux', 'needs /proc')
  pipe = join(world.folder, `pipe-${count++}`)
  expect(spawnSync('mkfifo', [pipe]).status).toBe(0)
})

/** Whether a process has opened the pipe. */
function hasOpened(pid: number | undefined): boolean {
  try {
    const fds = `/proc/${pid}/fd`
    return readdirSync(fds).some(fd => readlinkSync(join(fds, fd)) === pipe)
  } catch {
    return false
  }
}

const lines = [
  'files trash --from PIPE',
  'files insert --body @PIPE --title a',
  'files insert PIPE',
  'files update ID PIPE',
  'api validate PIPE',
  'local serve --faults PIPE',
  'api call files.insert --upload PIPE',
]
test.each(lines.flatMap(line => [['SIGINT', line] as const, ['SIGTERM', line] as const]))(
  '%s ends `drv %s` before anything has written to the pipe',
  async (signal, line) => {
    const child = startDrv(line.replace('PIPE', pipe).split(' '), {env: world.env})
    const ended = new Promise(resolve => child.once('close', resolve))
    while (!hasOpened(child.pid)) await new Promise(resolve => setTimeout(resolve, 10))
    child.kill(signal)
    expect(await ended).toBe(130)
  },
)

test.each([
  ['files trash --from PIPE', '{"fileId": "no"}\n', 9, ''],
  ['files insert --title a --body @PIPE --columns description', '{"description": "b"}', 0, 'b\n'],
  ['files insert --title a --columns fileSize PIPE', 'x'.repeat(100_000), 0, '100000\n'],
])('`drv %s` reads what is written to the pipe later', async (line, content, code, stdout) => {
  const result = world.run(line.replace('PIPE', pipe))
  const writer = ['-e', 'require("fs").writeFileSync(process.argv[1], process.argv[2])', pipe]
  spawn(process.execPath, [...writer, content], {stdio: 'inherit'})
  expect(await result).toMatchObject({code, stdout})
})

test('a checkpoint and its lock that are named pipes are refused', async () => {
  const asked = ['A', 'B', '--checkpoint']
  const refused = await world.run('files trash', [...asked, pipe])
  expect(refused).toMatchObject({code: 2, stdout: ''})
  expect(refused.stderr).toContain(pipe)
  expect(spawnSync('mkfifo', [`${pipe}.cp.lock`]).status).toBe(0)
  const locked = await world.run('files trash', [...asked, `${pipe}.cp`])
  expect(locked).toMatchObject({code: 2, stdout: ''})
  expect(locked.stderr).toContain(`${pipe}.cp.lock`)
})

test('the lock of the configuration that is a named pipe is refused', async () => {
  const directory = join(dirname(pipe), `config-${count}`)
  mkdirSync(directory)
  writeFileSync(join(directory, 'config.json'), '{"profiles": {"work": {}}}')
  const lock = join(directory, 'config.json.lock')
  expect(spawnSync('mkfifo', [lock]).status).toBe(0)
  const {code, stderr} = await world.run('auth switch', ['work'], {
    env: {DRV_CONFIG_DIR: directory},
  })
  expect(code).toBe(10)
  expect(stderr).toContain(lock)
})
