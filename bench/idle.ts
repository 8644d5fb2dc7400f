import {spawn} from 'node:child_process'
import {once} from 'node:events'
import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {setTimeout as wait} from 'node:timers/promises'
import {FOLDER_TYPE} from '#lib/api/wire.js'
import {processesOf, usage} from './process.js'
import {measureCommand, plantTree} from './scale.js'
import {type Bench, drv, startBench} from './service.js'
import {row} from './table.js'

/** Seconds without changes before the measurement, and of the measurement. */
const IDLE = 60
/** Resident memory in MiB above which a figure is marked: 60 MB. */
const MOST_MEMORY = 57.2

/** A running program, the leader of its process group. */
interface Running {
  readonly name: string
  readonly pid: number
  end(): Promise<void>
}

/**
 * Measures what followers cost while nothing changes, all of them at the same time and beside Node without a program:
 * memory, and CPU during a minute. Then the costs of two pulls of the unchanged tree. `!` marks too much memory.
 */
export async function idle(sizes: readonly number[]): Promise<void> {
  for (const size of sizes) {
    const directory = mkdtempSync(join(tmpdir(), 'drv-idle-'))
    const bench = await startBench(directory, true)
    try {
      await measureFollowers(bench, size)
    } finally {
      await bench.close()
      rmSync(directory, {recursive: true, force: true})
    }
  }
}

async function measureFollowers(bench: Bench, size: number): Promise<void> {
  const {directory} = bench
  const source = join(directory, 'source')
  const target = join(directory, 'target')
  plantTree(source, size, 'folders')
  await bench.call('POST', 'files', {title: 'idle', mimeType: FOLDER_TYPE})
  await warmUp(bench)
  const running: Running[] = []
  const start = async (name: string, args: readonly string[], isReady?: string) => {
    running.push(await startProgram(bench, {name, args, isReady}))
  }
  try {
    await start('node', ['-e', 'setInterval(() => {}, 1e9)'])
    await start('push --follow', [...drv, 'push', `${source}/`, '/idle', '--follow'], 'Following')
    await start('pull --follow', [...drv, 'pull', '/idle/', target, '--follow'], 'Following')
    await start('follow', [...drv, 'follow'], 'Following')
    await wait(IDLE * 1000)
    const before = running.map(({pid}) => costOf(pid).cpu)
    await wait(IDLE * 1000)
    console.log('')
    row(`${size} files, nothing changes`, 'MiB', 'CPU s/min', 'processes')
    for (const [index, {name, pid}] of running.entries()) {
      const {memory, cpu, processes} = costOf(pid)
      const mark = memory > MOST_MEMORY ? '!' : ''
      row(name, `${memory.toFixed(1)}${mark}`, (cpu - before[index]!).toFixed(2), `${processes}`)
    }
  } finally {
    await Promise.all(running.map(({end}) => end()))
  }
  row('', 's', 'requests', 'CPU s', 'peak MiB')
  // What a follower has downloaded, the first pull compares file by file.
  for (const name of ['pull', 'pull again']) {
    const found = await measureCommand(bench, ['pull', '/idle/', target])
    const {seconds, requests, cpu, memory} = found
    row(name, seconds.toFixed(2), `${requests}`, cpu.toFixed(2), memory.toFixed(0))
  }
}

/** Runs the commands once, because later runs find their compiled code. */
async function warmUp(bench: Bench): Promise<void> {
  const folder = join(bench.directory, 'warm-up')
  plantTree(folder, 1, 'flat')
  await measureCommand(bench, ['push', folder, '/'])
  await measureCommand(bench, ['pull', '/warm-up/', `${folder} again`])
  await measureCommand(bench, ['follow', '--once'])
}

/** Starts a program, and waits until it writes `isReady` to standard error. */
async function startProgram(
  bench: Bench,
  {name, args, isReady}: {name: string; args: readonly string[]; isReady: string | undefined},
): Promise<Running> {
  const child = spawn(process.execPath, args, {
    ...{env: bench.env, detached: true},
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const closed = once(child, 'close')
  let text = ''
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      if (isReady !== undefined && text.includes(isReady)) resolve()
    })
    child.once('close', code => reject(new Error(`${name} ended with ${code}: ${text}`)))
    if (isReady === undefined) child.once('spawn', resolve)
  })
  return {
    name,
    pid: child.pid!,
    async end() {
      child.kill('SIGTERM')
      await closed
    },
  }
}

/** The resident memory in MiB, and the CPU time in s, of all processes of a group. */
function costOf(group: number) {
  const pids = processesOf(group)
  const sum = {memory: 0, cpu: 0, processes: pids.length}
  for (const pid of pids) {
    const {resident = NaN, cpu = NaN} = usage(pid)
    sum.memory += resident
    sum.cpu += cpu
  }
  return sum
}
