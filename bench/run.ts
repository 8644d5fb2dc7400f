import {spawn, spawnSync} from 'node:child_process'
import {mkdtempSync, rmSync} from 'node:fs'
import {Agent, request} from 'node:http'
import {cpus, tmpdir} from 'node:os'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'

/**
 * What waiting for `drv` costs, as ratios within one run: start-up beside bare Node and beside
 * another oclif tool, and how many requests a second the local service answers.
 */

const ROUNDS = 15
const REQUESTS = 2_000
const root = fileURLToPath(new URL('..', import.meta.url))
const drv = [join(root, 'bin/run.js')]
const otherTool = [join(root, 'node_modules/oclif/bin/run.js'), '--version']

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!
}

interface Contender {
  readonly name: string
  readonly args: readonly string[]
}

/** Median wall time in ms of each, taken in turns so that a busy machine is busy for all of them. */
function race(contenders: readonly Contender[], env: NodeJS.ProcessEnv): Map<string, number> {
  const times = new Map(contenders.map(({name}) => [name, [] as number[]]))
  for (let round = 0; round <= ROUNDS; round++) {
    for (const {name, args} of contenders) {
      const start = performance.now()
      const {status, stderr} = spawnSync(process.execPath, args, {env, encoding: 'utf8'})
      if (status !== 0) throw new Error(`${name} ended with ${status}: ${stderr}`)
      // The first round only warms the disk cache.
      if (round > 0) times.get(name)!.push(performance.now() - start)
    }
  }
  return new Map([...times].map(([name, values]) => [name, median(values)]))
}

/** Requests a second over `width` connections that stay open. */
async function rate(width: number, send: (agent: Agent, index: number) => Promise<void>) {
  const agent = new Agent({keepAlive: true, maxSockets: width})
  const start = performance.now()
  let next = 0
  const worker = async () => {
    while (next < REQUESTS) await send(agent, next++)
  }
  await Promise.all(Array.from({length: width}, worker))
  agent.destroy()
  return (REQUESTS / (performance.now() - start)) * 1000
}

function sender(method: string, url: string, token: string, body?: string) {
  return (agent: Agent) =>
    new Promise<void>((settle, fail) => {
      const headers = {
        authorization: `Bearer ${token}`,
        ...(body && {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        }),
      }
      const call = request(url, {method, agent, headers}, response => {
        if (response.statusCode !== 200) fail(new Error(`${url} answered ${response.statusCode}`))
        response.resume().on('end', settle)
      })
      call.on('error', fail).end(body)
    })
}

function row(name: string, ...cells: readonly string[]): void {
  console.log(`${name.padEnd(44)}${cells.map(cell => cell.padStart(14)).join('')}`)
}

async function startServer(data: string) {
  const child = spawn(process.execPath, [...drv, 'local', 'serve', '--port', '0', '--data', data])
  const line = await new Promise<string>((settle, fail) => {
    child.stdout.once('data', (chunk: Buffer) => settle(chunk.toString()))
    child.once('close', code => fail(new Error(`drv local serve ended with ${code}`)))
  })
  return {child, url: (JSON.parse(line) as {base_url: string}).base_url}
}

const data = mkdtempSync(join(tmpdir(), 'drv-bench-'))
const {child, url} = await startServer(data)
try {
  const token = spawnSync(process.execPath, [...drv, 'local', 'token', '--data', data], {
    encoding: 'utf8',
  }).stdout.trim()
  const inserted = await fetch(`${url}/drive/v2/files`, {
    method: 'POST',
    headers: {authorization: `Bearer ${token}`, 'content-type': 'application/json'},
    body: '{"title":"bench"}',
  })
  const {id} = (await inserted.json()) as {id: string}

  // Extra certificates cost Node time at every start, and differ between machines.
  const {NODE_EXTRA_CA_CERTS: _, ...inherited} = process.env
  const env = {...inherited, DRV_BASE_URL: url, DRV_AUTH_URL: url, DRV_TOKEN: token}
  const contenders = [
    {name: 'node -e 0', args: ['-e', '0']},
    {name: 'oclif --version (another oclif tool)', args: otherTool},
    {name: 'drv --version', args: [...drv, '--version']},
    {name: 'drv files get ID --json', args: [...drv, 'files', 'get', id, '--json']},
  ]
  const times = race(contenders, env)
  const bare = times.get('node -e 0')!
  const other = times.get(contenders[1]!.name)!
  console.log(`Node ${process.version}, ${cpus().length} cores, medians of ${ROUNDS} rounds\n`)
  row('start-up', 'median ms', '/ node -e 0', '/ oclif')
  for (const [name, time] of times) {
    row(name, time.toFixed(0), (time / bare).toFixed(2), (time / other).toFixed(2))
  }

  console.log('')
  row('local service, requests a second', '1 connection', '16 connections')
  const cases = [
    ['files.get', sender('GET', `${url}/drive/v2/files/${id}`, token)],
    ['files.list (up to 100 files)', sender('GET', `${url}/drive/v2/files`, token)],
    ['files.insert (metadata)', sender('POST', `${url}/drive/v2/files`, token, '{"title":"x"}')],
  ] as const
  for (const [name, send] of cases) {
    row(name, (await rate(1, send)).toFixed(0), (await rate(16, send)).toFixed(0))
  }
} finally {
  child.kill('SIGTERM')
  await new Promise(settle => child.once('close', settle))
  rmSync(data, {recursive: true, force: true})
}
