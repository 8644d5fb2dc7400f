import {randomBytes} from 'node:crypto'
import {mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {measure} from './process.js'
import {COLUMNS, type Contender, race, report} from './race.js'
import {type Bench, drv} from './service.js'
import {row} from './table.js'

const SIZE = 4096
const WIDTH = 8
const BOUNDARY = 'part-of-the-benchmark'
const nodeClient = fileURLToPath(new URL('node-client.mjs', import.meta.url))

/**
 * Uploads and downloads many small files over several connections: `drv push` and `drv pull`, `curl --parallel`,
 * and the generated Node client, if `BENCH_CLIENTS` names a directory with it in `node_modules`.
 */
export async function small(bench: Bench, count: number, rounds: number): Promise<void> {
  const {url, token, directory, env, call} = bench
  const source = join(directory, 'source')
  const bodies = join(directory, 'bodies')
  const list = join(directory, 'list')
  mkdirSync(source)
  mkdirSync(bodies)
  const names = Array.from({length: count}, (_, n) => `file-${String(n).padStart(5, '0')}`)
  for (const name of names) writeFileSync(join(source, name), randomBytes(SIZE))

  const clients = process.env.BENCH_CLIENTS
  const node = (...args: string[]) =>
    measure(process.execPath, [nodeClient, clients!, ...args], env)
  const curl = () =>
    measure('curl', ['-sS', '-f', '-Z', '--parallel-max', String(WIDTH), '-K', list])
  let folder = ''
  const newFolder = async () => {
    const type = 'application/vnd.google-apps.folder'
    folder = (await call('POST', 'files', {title: 'bench', mimeType: type})).id
  }
  const emptied = async () => {
    const {items} = await call('GET', `files/${folder}/children?maxResults=1000`)
    if (items.length !== Math.min(count, 1000)) throw new Error('Not every file has arrived.')
    await call('DELETE', `files/${folder}`)
  }

  const up: Contender[] = [
    {
      name: 'curl --parallel',
      async before() {
        await newFolder()
        // The bodies are prepared before, because curl does not support multipart/related.
        for (const name of names) {
          const metadata = {title: name, parents: [{id: folder}]}
          const content = readFileSync(join(source, name))
          writeFileSync(join(bodies, name), multipart(metadata, content))
        }
        const entries = names.map(name =>
          options({
            url: `${url}/upload/drive/v2/files?uploadType=multipart&fields=id,md5Checksum`,
            header: `Authorization: Bearer ${token}`,
            'header ': `Content-Type: multipart/related; boundary=${BOUNDARY}`,
            'data-binary': `@${join(bodies, name)}`,
            output: '/dev/null',
          }),
        )
        writeFileSync(list, entries.join('next\n'))
      },
      run: curl,
      after: emptied,
    },
    {
      name: 'drv push',
      before: newFolder,
      run: () =>
        measure(
          process.execPath,
          [...drv, 'push', `${source}/`, folder, '--concurrency', String(WIDTH)],
          env,
        ),
      after: emptied,
    },
    ...(clients
      ? [
          {
            name: 'generated Node client',
            before: newFolder,
            run: () => node('up', url, token, String(WIDTH), source, folder),
            after: emptied,
          },
        ]
      : []),
  ]
  row(`${count} files of 4 KiB up, ${WIDTH} connections, ${rounds} rounds`, ...COLUMNS)
  report(await race(up, rounds), count, 'files', 'curl --parallel')

  await newFolder()
  await measure(process.execPath, [...drv, 'push', `${source}/`, folder], env)
  const ids = await idsIn(bench, folder)
  // Each contender has its own folder, and none is removed before the end, because some file systems are slow to
  // create files for some seconds after a removal.
  let target = ''
  let runs = 0
  const newTarget = () => {
    target = join(directory, `target-${runs++}`)
    mkdirSync(target)
  }
  const after = () => {
    const arrived = readdirSync(target).length
    if (arrived !== count) throw new Error(`${arrived} files have arrived.`)
  }
  const down: Contender[] = [
    {
      name: 'curl --parallel',
      before() {
        newTarget()
        const files = [...ids].map(([name, id]) =>
          options({url: `${url}/drive/v2/files/${id}?alt=media`, output: join(target, name)}),
        )
        const header = options({header: `Authorization: Bearer ${token}`})
        writeFileSync(list, header + files.join(''))
      },
      run: curl,
      after,
    },
    {
      name: 'drv pull',
      before: newTarget,
      after,
      run: () =>
        measure(
          process.execPath,
          [...drv, 'pull', `${folder}/`, target, '--concurrency', String(WIDTH)],
          env,
        ),
    },
    ...(clients
      ? [
          {
            name: 'generated Node client',
            before: newTarget,
            after,
            run: () => node('down', url, token, String(WIDTH), target, folder),
          },
        ]
      : []),
  ]
  console.log('')
  row(`${count} files of 4 KiB down, ${WIDTH} connections, ${rounds} rounds`, ...COLUMNS)
  report(await race(down, rounds), count, 'files', 'curl --parallel')
  if (!clients) console.log('BENCH_CLIENTS is not set: no generated Node client.')
}

/** Options in the form of a file for `curl -K`. */
function options(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name.trim()} = ${JSON.stringify(value)}\n`)
    .join('')
}

function multipart(metadata: object, content: Buffer): Buffer {
  const head =
    `--${BOUNDARY}\r\nContent-Type: application/json\r\n\r\n${JSON.stringify(metadata)}\r\n` +
    `--${BOUNDARY}\r\nContent-Type: application/octet-stream\r\n\r\n`
  return Buffer.concat([Buffer.from(head), content, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)])
}

/** The files in a folder, by title. */
async function idsIn({call}: Bench, folder: string): Promise<Map<string, string>> {
  const ids = new Map<string, string>()
  const q = encodeURIComponent(`'${folder}' in parents`)
  for (let page: string | undefined = ''; page !== undefined;) {
    const asked = `files?q=${q}&maxResults=1000&pageToken=${page}&fields=items(id,title),nextPageToken`
    const {items, nextPageToken}: any = await call('GET', asked)
    for (const {id, title} of items) ids.set(title, id)
    page = nextPageToken
  }
  return ids
}
