import {randomBytes} from 'node:crypto'
import {mkdirSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {type Link, startLink} from './link.js'
import {measure} from './process.js'
import {type Bench, drv} from './service.js'
import {median, row} from './table.js'

const nodeClient = fileURLToPath(new URL('node-client.mjs', import.meta.url))
const WIDTH = '16'
const SIZE = 4096

/**
 * Measures jobs over a link with a round trip of 30 and of 150 ms: requests, connections, bytes, and seconds of
 * whole processes; small files also with the generated Node client, if `BENCH_CLIENTS` names a directory with it
 * in `node_modules`.
 */
export async function wire(bench: Bench, files: number, rounds: number): Promise<void> {
  await tree(bench, 30)
  console.log('')
  await smallFiles(bench, files, rounds, 150)
}

/** Runs a program over a link; returns its cost. */
async function over(bench: Bench, link: Link, command: string, args: readonly string[]) {
  const before = {...link.traffic}
  const env = {...bench.env, DRV_BASE_URL: link.url, DRV_AUTH_URL: link.url}
  const cost = await measure(command, args, env)
  const {requests, connections, bytes} = link.traffic
  return {
    ...cost,
    requests: requests - before.requests,
    connections: connections - before.connections,
    bytes: bytes - before.bytes,
  }
}

async function tree(bench: Bench, roundTrip: number): Promise<void> {
  const source = join(bench.directory, 'wire-tree')
  plantTree(source)
  const {id} = await newFolder(bench)
  const link = await startLink(bench.url, roundTrip)
  const target = join(bench.directory, 'wire-target')
  const jobs: ReadonlyArray<readonly [name: string, ...args: string[]]> = [
    ['push of 111 folders, 400 files', 'push', `${source}/`, id],
    ['the same again', 'push', `${source}/`, id],
    ['pull of it', 'pull', `${id}/`, target],
    ['the same again', 'pull', `${id}/`, target],
    ['files list --all, tsv', 'files', 'list', '--all', '--format', 'tsv'],
    ['files list --all, json', 'files', 'list', '--all', '--json'],
  ]
  row(`over ${roundTrip} ms`, 'requests', 'connections', 'kB', 's')
  for (const [name, ...args] of jobs) {
    const cost = await over(bench, link, process.execPath, [...drv, ...args])
    row(
      name,
      String(cost.requests),
      String(cost.connections),
      (cost.bytes / 1000).toFixed(0),
      cost.seconds.toFixed(2),
    )
  }
  link.close()
}

async function smallFiles(
  bench: Bench,
  count: number,
  rounds: number,
  roundTrip: number,
): Promise<void> {
  const source = join(bench.directory, 'wire-small')
  mkdirSync(source)
  for (let n = 0; n < count; n++) writeFileSync(join(source, `file-${n}`), randomBytes(SIZE))
  const link = await startLink(bench.url, roundTrip)
  const clients = process.env.BENCH_CLIENTS
  const times = new Map<string, number[]>()
  let targets = 0
  const run = async (name: string, args: readonly string[]) => {
    const {seconds} = await over(bench, link, process.execPath, args)
    times.set(name, [...(times.get(name) ?? []), seconds])
  }
  const newTarget = () => {
    const target = join(bench.directory, `wire-down-${targets++}`)
    mkdirSync(target)
    return target
  }
  for (let round = 0; round < rounds; round++) {
    const {id} = await newFolder(bench)
    await run('drv push', [...drv, 'push', `${source}/`, id])
    await run('drv pull', [...drv, 'pull', `${id}/`, newTarget()])
    if (!clients) continue
    const other = await newFolder(bench)
    const node = (way: string, directory: string, folder: string) =>
      run(`generated client, ${way}`, [
        ...[nodeClient, clients, way, link.url, bench.token, WIDTH, directory, folder],
      ])
    await node('up', source, other.id)
    await node('down', newTarget(), id)
  }
  link.close()
  row(`${count} files of 4 KiB over ${roundTrip} ms, ${rounds} rounds`, 'median s')
  for (const [name, seconds] of times) row(name, median(seconds).toFixed(2))
  if (!clients) console.log('BENCH_CLIENTS is not set: no generated Node client.')
}

/** Ten folders with ten folders each, with 400 files in them. */
function plantTree(top: string): void {
  const folders = Array.from({length: 100}, (_, n) =>
    join(top, 'tree', `outer-${Math.floor(n / 10)}`, `inner-${n % 10}`),
  )
  for (const folder of folders) {
    mkdirSync(folder, {recursive: true})
    for (let n = 0; n < 4; n++) writeFileSync(join(folder, `file-${n}`), randomBytes(SIZE))
  }
}

function newFolder({call}: Bench): Promise<{id: string}> {
  const mimeType = 'application/vnd.google-apps.folder'
  return call('POST', 'files', {title: 'wire', mimeType}) as Promise<{id: string}>
}
