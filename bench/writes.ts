import {FOLDER_TYPE} from '#lib/api/wire.js'
import {usage} from './process.js'
import type {Bench} from './service.js'
import {row} from './table.js'

/** The number of files changed one by one. */
const SINGLE = 300
/** The number of requests in progress while files are inserted. */
const CONCURRENCY = 8

/** Measures the time of writes per file by the number of files, and how long other requests wait meanwhile. */
export async function writes(bench: Bench, sizes: readonly number[]): Promise<void> {
  const columns: Map<string, string>[] = []
  for (const size of sizes) columns.push(await measureWrites(bench, size))
  row('local service, ms per file (of the processor)', ...sizes.map(size => `${size} files`))
  for (const name of columns[0]!.keys()) row(name, ...columns.map(column => column.get(name)!))
}

async function measureWrites({call, pid}: Bench, size: number): Promise<Map<string, string>> {
  const column = new Map<string, string>()
  const timed = async (name: string, files: number, work: () => Promise<unknown>) => {
    const start = performance.now()
    const before = usage(pid).cpu ?? NaN
    await work()
    const perFile = (ms: number) => (ms / files).toFixed(2)
    const cpu = ((usage(pid).cpu ?? NaN) - before) * 1000
    column.set(name, `${perFile(performance.now() - start)} (${perFile(cpu)})`)
  }
  /** Like `timed`, with the longest time in ms that another request took meanwhile. */
  const timedBesideOthers = async (name: string, files: number, work: () => Promise<unknown>) => {
    let isOver = false
    const longest = async (request: () => Promise<unknown>) => {
      let most = 0
      while (!isOver) {
        const start = performance.now()
        await request()
        most = Math.max(most, performance.now() - start)
      }
      return most.toFixed(0)
    }
    const reads = longest(() => call('GET', 'about'))
    const inserts = longest(() => call('POST', 'files', {title: 'beside'}))
    await timed(name, files, work).finally(() => (isOver = true))
    column.set('  longest read beside it, ms', await reads)
    column.set('  longest insert beside it, ms', await inserts)
  }
  const folder = () => call('POST', 'files', {title: 'folder', mimeType: FOLDER_TYPE})
  const fill = async (parent: string): Promise<string[]> => {
    const ids: string[] = []
    let next = 0
    const worker = async () => {
      while (next < size) {
        const n = next++
        const body = {
          title: `Report ${n}.txt`,
          description: `text of the report number ${n}`,
          parents: [{id: parent}],
        }
        ids[n] = (await call('POST', 'files', body)).id
      }
    }
    await Promise.all(Array.from({length: CONCURRENCY}, worker))
    return ids
  }
  const one = (verb: string) => async (ids: readonly string[]) => {
    for (const id of ids) await call('POST', `files/${id}/${verb}`)
  }

  const {id: top} = await folder()
  let ids: string[] = []
  await timed('insert', size, async () => (ids = await fill(top)))
  const some = ids.slice(0, SINGLE)
  await timed('trash a file', SINGLE, () => one('trash')(some))
  await timed('untrash a file', SINGLE, () => one('untrash')(some))
  await timed('delete a file', SINGLE, async () => {
    for (const id of some) await call('DELETE', `files/${id}`)
  })
  const rest = size - SINGLE
  await timed('trash a folder', rest, () => call('POST', `files/${top}/trash`))
  await timed('untrash a folder', rest, () => call('POST', `files/${top}/untrash`))
  await timed('share a folder', rest, () =>
    call('POST', `files/${top}/permissions?sendNotificationEmails=false`, {
      type: 'anyone',
      role: 'reader',
    }),
  )
  const {id: other} = await folder()
  await timed('move a folder', rest, () =>
    call('PATCH', `files/${top}?addParents=${other}&removeParents=root`, {}),
  )
  await timed('delete a folder', rest, () => call('DELETE', `files/${other}`))

  const {id: last} = await folder()
  ids = await fill(last)
  await one('trash')(ids)
  await timedBesideOthers('empty the trash', size, () => call('DELETE', 'files/trash'))
  return column
}
