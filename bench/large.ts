import {randomBytes} from 'node:crypto'
import {closeSync, openSync, rmSync, writeSync} from 'node:fs'
import {join} from 'node:path'
import {type Cost, measure} from './process.js'
import {COLUMNS, type Contender, race, report} from './race.js'
import {type Bench, drv} from './service.js'
import {row} from './table.js'

const MIB = 1024 * 1024

/** Uploads and downloads a large file with `drv` (which checks the MD5) and with `curl` (which does not). */
export async function large(bench: Bench, mebibytes: number, rounds: number): Promise<void> {
  const {url, token, directory, env, call} = bench
  const file = join(directory, 'large')
  const target = join(directory, 'target')
  fill(file, mebibytes)
  const curl = (...args: string[]) =>
    measure('curl', ['-sS', '-f', '-H', `Authorization: Bearer ${token}`, '-H', 'Expect:', ...args])
  const idOf = ({stdout}: Cost) => (JSON.parse(stdout) as {id: string}).id
  const remove = (_: number, cost: Cost) => call('DELETE', `files/${idOf(cost)}`)
  const upload = `${url}/upload/drive/v2/files?fields=id&uploadType=`

  let session = ''
  const up: Contender[] = [
    {
      name: 'curl, in one request',
      run: () => curl('-X', 'POST', '-T', file, `${upload}media`),
      after: remove,
    },
    {
      name: 'curl, in a session',
      async before() {
        const begun = await fetch(`${upload}resumable`, {
          method: 'POST',
          headers: {authorization: `Bearer ${token}`},
        })
        session = begun.headers.get('location')!
      },
      run: () => curl('-T', file, session),
      after: remove,
    },
    {
      name: 'drv files insert',
      run: () => measure(process.execPath, [...drv, 'files', 'insert', file, '--json'], env),
      after: remove,
    },
  ]
  row(`${mebibytes} MiB up, ${rounds} rounds`, ...COLUMNS)
  report(await race(up, rounds), mebibytes, 'MiB', 'curl, in one request')

  const id = idOf(await curl('-X', 'POST', '-T', file, `${upload}media`))
  rmSync(file)
  // Flushes the disk, so that the next contender does not wait for earlier writes.
  const after = () => rmSync(target)
  const content = `${url}/drive/v2/files/${id}?alt=media`
  const down: Contender[] = [
    {name: 'curl', run: () => curl('-o', target, content), after},
    {
      name: 'curl, then md5sum',
      async run() {
        const both = [await curl('-o', target, content), await measure('md5sum', [target])]
        return {
          seconds: sum(both.map(cost => cost.seconds)),
          cpu: sum(both.map(cost => cost.cpu ?? 0)),
          memory: Math.max(...both.map(cost => cost.memory ?? 0)),
          stdout: '',
        }
      },
      after,
    },
    {
      name: 'drv files get --download',
      run: () => measure(process.execPath, [...drv, 'files', 'get', id, '--download', target], env),
      after,
    },
  ]
  console.log('')
  row(`${mebibytes} MiB down, ${rounds} rounds`, ...COLUMNS)
  report(await race(down, rounds), mebibytes, 'MiB', 'curl')
  await call('DELETE', `files/${id}`)
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)

function fill(path: string, mebibytes: number): void {
  const fd = openSync(path, 'w')
  for (let n = 0; n < mebibytes; n++) writeSync(fd, randomBytes(MIB))
  closeSync(fd)
}
