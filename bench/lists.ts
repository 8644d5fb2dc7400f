import {fileURLToPath} from 'node:url'
import {measure} from './process.js'
import {COLUMNS, type Contender, race, report} from './race.js'
import {type Bench, drv} from './service.js'
import {row} from './table.js'

const nodeClient = fileURLToPath(new URL('node-client.mjs', import.meta.url))
/** The number of files created at a time. */
const WIDTH = 16

/**
 * Lists many files with all fields in each format; NDJSON also with the generated Node client, if `BENCH_CLIENTS`
 * names a directory with it in `node_modules`.
 */
export async function lists(bench: Bench, count: number, rounds: number): Promise<void> {
  const {url, token, env, call} = bench
  let made = 0
  const make = async () => {
    while (made < count) await call('POST', 'files', {title: `file ${made++}`})
  }
  await Promise.all(Array.from({length: WIDTH}, make))
  const clients = process.env.BENCH_CLIENTS
  const list = (format: string): Contender => ({
    name: `drv files list --all, ${format}`,
    run: () =>
      measure(process.execPath, [...drv, 'files', 'list', '--all', '--format', format], env),
  })
  const generated: Contender = {
    name: 'generated Node client, lines of JSON',
    run: () => measure(process.execPath, [nodeClient, clients!, 'list', url, token], env),
  }
  const contenders = [
    ...(clients ? [generated] : []),
    ...['ndjson', 'json', 'tsv', 'table'].map(list),
  ]
  row(`${count} files listed, ${rounds} rounds`, ...COLUMNS)
  report(await race(contenders, rounds), count, 'files', '')
  if (!clients) console.log('BENCH_CLIENTS is not set: no generated Node client.')
}
