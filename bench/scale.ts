import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {FOLDER_TYPE} from '#lib/api/wire.js'
import {measure, resetPeak, usage} from './process.js'
import {type Bench, drv, startBench} from './service.js'
import {row} from './table.js'

/** How the files of a tree are arranged: 100 to a folder, all in one folder, or in a chain of 100 folders. */
export const SHAPES = ['folders', 'flat', 'deep'] as const
type Shape = (typeof SHAPES)[number]

export interface ScaleOptions {
  /** Numbers of files, in ascending order. */
  readonly sizes: readonly number[]
  readonly shapes: readonly Shape[]
  /** Whether the service keeps its data in memory. */
  readonly isInMemory: boolean
}

/** What a command costs, on both sides. */
interface Figures {
  readonly seconds: number
  readonly requests: number
  readonly cpu: number
  readonly memory: number
  readonly serviceCpu: number
  readonly serviceMemory: number
}

/** Growth per file, compared with the size before, above which a figure is marked. */
const LINEAR = 1.15
/** Resident memory in MiB above which a figure is marked: 400 MB. */
const MOST_MEMORY = 381

/**
 * Measures commands on trees of small files, by the number of files. For each command: its costs, and the growth of
 * requests and CPU per file since the size before; `!` marks what grows faster than the tree, and too much memory.
 */
export async function scale({sizes, shapes, isInMemory}: ScaleOptions): Promise<void> {
  for (const shape of shapes) {
    let before: ReadonlyMap<string, Figures> = new Map()
    for (const [index, size] of sizes.entries()) {
      console.log('')
      row(
        `${size} files, ${shape}, ${isInMemory ? 'in memory' : 'on disk'}`,
        ...['s', 'requests', 'CPU s', 'peak MiB', 'service CPU s', 'service MiB'],
        ...(index > 0 ? ['requests/file', 'CPU/file', 'service/file'] : []),
      )
      const directory = mkdtempSync(join(tmpdir(), 'drv-scale-'))
      const times = size / (sizes[index - 1] ?? size)
      try {
        before = await measureTree(directory, {size, shape, isInMemory, times, before})
      } finally {
        rmSync(directory, {recursive: true, force: true})
      }
    }
  }
}

interface TreeOptions {
  readonly size: number
  readonly shape: Shape
  readonly isInMemory: boolean
  /** The size as a multiple of the one before. */
  readonly times: number
  /** The figures of the size before. */
  readonly before: ReadonlyMap<string, Figures>
}

async function measureTree(
  directory: string,
  {size, shape, isInMemory, times, before}: TreeOptions,
): Promise<ReadonlyMap<string, Figures>> {
  const source = join(directory, 'source')
  const target = join(directory, 'target')
  plantTree(source, size, shape)
  const bench = await startBench(directory, isInMemory)
  const figures = new Map<string, Figures>()
  try {
    await bench.call('POST', 'files', {title: 'scale', mimeType: FOLDER_TYPE})
    const {startPageToken} = await bench.call('GET', 'changes/startPageToken')
    const time = async (name: string, ...args: string[]) => {
      const {stdout, ...found} = await measureCommand(bench, args)
      figures.set(name, found)
      row(name, ...cellsOf(found, before.get(name), times))
      return stdout
    }
    await time('push', 'push', `${source}/`, '/scale')
    await time('push again', 'push', `${source}/`, '/scale')
    await time('pull', 'pull', '/scale/', target)
    await time('pull again', 'pull', '/scale/', target)
    requireAll(size, await time('follow', 'follow', '--once', '--since', startPageToken))
    requireAll(size, await time('ls -R', 'ls', '-R', '/scale'))
    requireAll(size, await time('find --name', 'find', '/scale', '--name', 'file-*'))
    await time('rm', 'rm', '/scale')
    await time('undo of rm', 'undo', '--yes')
    const runs = JSON.parse(await time('history', 'history', '--json')) as {id: string}[]
    requireAll(size, await time('history --steps', 'history', '--steps'))
    await time('undo of push', 'undo', runs.at(-1)!.id, '--yes')
  } finally {
    await bench.close()
  }
  return figures
}

/** Runs `drv`; throws if it fails. */
export async function measureCommand(
  bench: Bench,
  args: readonly string[],
): Promise<Figures & {readonly stdout: string}> {
  const requests = await bench.requests()
  resetPeak(bench.pid)
  const {cpu: cpuBefore = NaN} = usage(bench.pid)
  const {
    seconds,
    cpu = NaN,
    memory = NaN,
    stdout,
  } = await measure(process.execPath, [...drv, ...args], bench.env)
  const service = usage(bench.pid)
  return {
    seconds,
    cpu,
    memory,
    stdout,
    requests: (await bench.requests()) - requests,
    serviceCpu: (service.cpu ?? NaN) - cpuBefore,
    serviceMemory: service.memory ?? NaN,
  }
}

function cellsOf(found: Figures, before: Figures | undefined, times: number): string[] {
  const memory = (value: number) => `${value.toFixed(0)}${value > MOST_MEMORY ? '!' : ''}`
  const growth = (name: 'requests' | 'cpu' | 'serviceCpu') => {
    const ratio = found[name] / before![name] / times
    if (!Number.isFinite(ratio)) return '-'
    return `${ratio.toFixed(2)}${ratio > LINEAR ? '!' : ''}`
  }
  return [
    found.seconds.toFixed(1),
    String(found.requests),
    found.cpu.toFixed(1),
    memory(found.memory),
    found.serviceCpu.toFixed(1),
    memory(found.serviceMemory),
    ...(before ? [growth('requests'), growth('cpu'), growth('serviceCpu')] : []),
  ]
}

/** Throws if a command printed fewer lines than there are files. */
function requireAll(size: number, stdout: string): void {
  let lines = 0
  for (let at = stdout.indexOf('\n'); at >= 0; at = stdout.indexOf('\n', at + 1)) lines++
  if (lines < size) throw new Error(`${lines} lines for ${size} files.`)
}

/** Creates a tree of small files. */
export function plantTree(top: string, size: number, shape: Shape): void {
  const perFolder = {folders: 100, flat: size, deep: Math.ceil(size / 100)}[shape]
  const folderOf = (n: number) => {
    if (shape === 'flat') return top
    if (shape === 'deep') return join(top, ...Array.from({length: n + 1}, () => 'deeper'))
    return join(top, `outer-${Math.floor(n / 100)}`, `inner-${n % 100}`)
  }
  for (let n = 0; n < size;) {
    const folder = folderOf(Math.floor(n / perFolder))
    mkdirSync(folder, {recursive: true})
    for (const end = Math.min(size, n + perFolder); n < end; n++) {
      writeFileSync(join(folder, `file-${n}`), `file ${n}`)
    }
  }
}
