import {createHash} from 'node:crypto'
import {existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs'
import {dirname, join, relative} from 'node:path'
import {afterEach, beforeEach, expect, test} from 'vitest'
import {readFaultPlan} from '#lib/service/faults/read.js'
import {createService, type Service} from '#lib/service/index.js'
import {runDrv} from '../../support/drv.js'
import {startWorld, type World} from '../../support/world.js'

/** `CHAOS_FILES=1000 CHAOS_KILLS=20 npx vitest run test/e2e/chaos.test.ts` takes longer and covers more. */
const FILES = Number(process.env.CHAOS_FILES ?? 60)
const KILLS = Number(process.env.CHAOS_KILLS ?? 4)
const SEED = Number(process.env.CHAOS_SEED ?? 2026)
/** Larger than the limit above which files are uploaded in a session. */
const LARGE = 9 * 1024 * 1024
/** Maximum number of attempts after the last kill. */
const TRIES = 20

const faults = readFaultPlan(
  JSON.stringify({
    seed: SEED,
    rules: [
      {operations: '*', fault: 'status', status: 503, probability: 0.07},
      {operations: '*', fault: 'status', status: 502, body: 'html', probability: 0.03},
      {operations: '*', fault: 'reset', at: 'request', after: 3000, probability: 0.03},
      {operations: '*', fault: 'reset', at: 'response', after: 3000, probability: 0.02},
      {operations: '*', fault: 'lose', probability: 0.05},
      {operations: '*', via: 'chunk', fault: 'reset', after: 3_000_000, probability: 0.3},
      {operations: '*', via: 'download', fault: 'truncate', after: 2000, probability: 0.03},
      {operations: '*', fault: 'rateLimit', perSecond: 50},
    ],
  }),
)

/** Numbers from 0 to 1, the same in every run. */
function numbers(seed: number): () => number {
  let count = 0
  return () => {
    const digest = createHash('sha256').update(`${seed} ${count++}`).digest()
    return digest.readUInt32BE() / 2 ** 32
  }
}

let world: World
/** Called for every fault. */
let onFault: () => void
let struck: Map<string, number>
/** The same data without faults, for checking the result. */
let sound: Service
beforeEach(async () => {
  onFault = () => undefined
  struck = new Map()
  world = await startWorld({
    faults,
    onFault: ({kind}) => {
      struck.set(kind, (struck.get(kind) ?? 0) + 1)
      onFault()
    },
  })
  sound = await createService({data: world.data})
})
afterEach(async () => {
  await sound.close()
  await world.close()
})

const target = () => join(world.folder, 'target')
const md5 = (bytes: Buffer) => createHash('md5').update(bytes).digest('hex')

/** A tree of files of all sizes, with MD5s by path. */
function makeTree(top: string): Map<string, string> {
  const sums = new Map<string, string>()
  const random = numbers(SEED)
  for (let n = 0; n < FILES; n++) {
    const path = join(`folder ${n % 7}`, n % 3 === 0 ? 'deeper' : '', `file ${n}.bin`)
    const size = n === 0 ? LARGE : n === 1 ? 0 : Math.floor(random() ** 3 * 100_000)
    const bytes = Buffer.alloc(size, `${n} `)
    mkdirSync(dirname(join(top, path)), {recursive: true})
    writeFileSync(join(top, path), bytes)
    sums.set(path, md5(bytes))
  }
  return sums
}

/** All files in a directory, including hidden ones. */
function readTree(top: string): Map<string, string> {
  return new Map(
    readdirSync(top, {recursive: true, withFileTypes: true})
      .filter(entry => entry.isFile())
      .map(entry => {
        const path = join(entry.parentPath, entry.name)
        return [relative(top, path), md5(readFileSync(path))]
      }),
  )
}

/** All files of a remote folder with their MD5, each path as often as it occurs. */
async function remoteTree(folder: string, above = ''): Promise<[string, string][]> {
  const found: [string, string][] = []
  let page = ''
  do {
    const query = new URLSearchParams({
      q: `'${folder}' in parents`,
      maxResults: '1000',
      ...(page && {pageToken: page}),
    })
    const answer = await fetch(`${sound.url}/drive/v2/files?${query}`, {
      headers: {authorization: `Bearer ${world.env.DRV_TOKEN}`},
    })
    const {items, nextPageToken} = (await answer.json()) as any
    for (const {id, title, mimeType, md5Checksum} of items) {
      const path = join(above, title)
      if (mimeType.endsWith('.folder')) found.push(...(await remoteTree(id, path)))
      else found.push([path, md5Checksum])
    }
    page = nextPageToken ?? ''
  } while (page)
  return found
}

/** Number of files and folders that have arrived so far, complete or not. */
function arrived(): number {
  const {count} = sound.store.get<{count: number}>('SELECT count(*) AS count FROM files')!
  return count + (existsSync(target()) ? readdirSync(target(), {recursive: true}).length : 0)
}

/** A number of faults, then a number of files: a state that every run reaches. */
function after(faults: number, files: number): () => boolean {
  onFault = () => void faults--
  let enough: number | undefined
  return () => {
    if (faults > 0) return false
    enough ??= arrived() + files
    return arrived() >= enough
  }
}

/** Runs a command until it succeeds, killing it several times in states from the seed. */
async function persist(args: readonly string[]): Promise<{kills: number}> {
  const random = numbers(SEED + args.join().length)
  let kills = 0
  for (let tries = 0; tries < KILLS + TRIES; tries++) {
    const faults = 1 + Math.floor((random() * FILES) / KILLS / 3)
    const when = after(faults, Math.floor(random() * 3))
    const ending = kills < KILLS ? ({signal: 'SIGKILL', when} as const) : undefined
    const {code, signal, stderr} = await runDrv(args, {env: world.env, ending})
    if (code === 0) return {kills}
    if (signal === 'SIGKILL') kills++
    // Faults that last longer than the client retries are reported as failures.
    else expect([7, 8, 9], stderr).toContain(code)
  }
  throw new Error(`drv ${args.join(' ')} does not come to its end.`)
}

/** What the client still has to do or clean up, as far as it knows. */
async function left(): Promise<unknown[]> {
  const state = join(world.env.XDG_STATE_HOME!, 'drv')
  const names = ['transfers', 'trees'].flatMap(name => [...readTree(join(state, name)).keys()])
  return [...names, ...(await world.drv('transfers list'))]
}

test(
  'whatever breaks, and however often the client is killed, every file arrives once and whole',
  {timeout: 60_000 + (FILES + KILLS) * 2_000},
  async () => {
    const source = join(world.folder, 'source')
    const sums = makeTree(source)

    const up = await persist(['push', `${source}/`, '/Chaos'])
    expect(up.kills).toBeGreaterThanOrEqual(KILLS / 2)
    const arrived = await remoteTree('root')
    expect(arrived.sort()).toEqual(
      [...sums].map(([path, sum]) => [join('Chaos', path), sum]).sort(),
    )
    expect(readTree(source)).toEqual(sums)
    expect(await left()).toEqual([])

    mkdirSync(target())
    const down = await persist(['pull', '/Chaos/', target()])
    expect(down.kills).toBeGreaterThanOrEqual(KILLS / 2)
    expect(Object.fromEntries(readTree(target()))).toEqual(Object.fromEntries(sums))
    expect(await left()).toEqual([])

    for (const kind of ['status', 'reset', 'lose']) expect(struck.get(kind)).toBeGreaterThan(0)
  },
)
