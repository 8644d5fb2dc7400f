import {existsSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterEach, beforeEach, expect, test} from 'vitest'
import {readFaultPlan} from '#lib/service/faults/read.js'
import {createService, type Service} from '#lib/service/index.js'
import {rounds} from '../../support/size.js'
import {startWorld, type World} from '../../support/world.js'

const THINGS = Number(process.env.CHAOS_THINGS ?? rounds(500, 1000))
/** Number of items created while everything breaks. */
const MADE = THINGS / 2
const KILLS = Number(process.env.CHAOS_KILLS ?? rounds(3, 5))
/** Maximum number of attempts after the last kill. */
const TRIES = 20

const faults = readFaultPlan(
  JSON.stringify({
    seed: Number(process.env.CHAOS_SEED ?? 2026),
    rules: [
      {operations: 'batch', fault: 'status', status: 503, probability: 0.05},
      {operations: 'batch', fault: 'reset', at: 'response', after: 3000, probability: 0.05},
      // There is one of the rarest kind, whatever the random numbers.
      {operations: 'batch', fault: 'reset', at: 'response', after: 3000, calls: [3]},
      {operations: 'batch', fault: 'lose', probability: 0.05},
      {
        operations: ['files.insert', 'files.trash'],
        fault: 'status',
        status: 503,
        probability: 0.01,
      },
      {operations: ['files.insert', 'files.trash'], fault: 'lose', probability: 0.005},
      {operations: 'files.generateIds', fault: 'status', status: 502, probability: 0.2},
    ],
  }),
)

let world: World
let struck: Map<string, number>
let sound: Service
beforeEach(async () => {
  struck = new Map()
  world = await startWorld({
    faults,
    onFault: ({kind}) => void struck.set(kind, (struck.get(kind) ?? 0) + 1),
  })
  sound = await createService({data: world.data})
})
afterEach(async () => {
  await sound.close()
  await world.close()
})

const count = (sql: string) =>
  sound.store.get<{count: number}>(`SELECT count(*) AS count ${sql}`)!.count

/** Number of changes so far; costs no requests. */
const changes = () =>
  sound.store.get<{last: number | null}>('SELECT max(id) AS last FROM changes')!.last ?? 0

/**
 * Runs a command repeatedly until it succeeds, killing it after a fraction of the changes that
 * grows each time.
 */
async function persist(things: number, args: readonly string[]): Promise<number> {
  const start = changes()
  let kills = 0
  for (let tries = 0; tries < KILLS + TRIES; tries++) {
    const goal = ((kills + 1) * things) / (KILLS + 1)
    const ending =
      kills < KILLS
        ? ({signal: 'SIGKILL', when: () => changes() - start >= goal} as const)
        : undefined
    const {code, signal, stderr} = await world.run(args[0]!, args.slice(1), {ending})
    if (code === 0) return kills
    if (signal === 'SIGKILL') kills++
    // Faults that last longer than the client retries are reported as failures.
    else expect([7, 8, 9], stderr).toContain(code)
  }
  throw new Error(`drv ${args.join(' ')} does not come to its end.`)
}

test(
  'whatever breaks, and however often it is killed, each thing is made once and trashed once',
  {timeout: 120_000},
  async () => {
    const records = Array.from({length: THINGS}, (_, n) => `{"title": "thing ${n}"}\n`)
    const before = count('FROM files')
    const checkpoint = (name: string) => ['--checkpoint', join(world.folder, `${name}.checkpoint`)]

    const titles = world.file('titles.ndjson', records.slice(0, MADE).join(''))
    const made = () => count('FROM files') - before
    const insert = ['files insert', '--from', titles, ...checkpoint('made')]
    expect(await persist(MADE, insert)).toBeGreaterThanOrEqual(KILLS - 1)
    expect(made()).toBe(MADE)
    const others = world.file('others.ndjson', records.slice(MADE).join(''))
    await world.run('files insert', ['--from', others], {env: {DRV_BASE_URL: sound.url}})
    expect(made()).toBe(THINGS)
    expect(count(`FROM (SELECT DISTINCT title FROM files WHERE title LIKE 'thing %')`)).toBe(THINGS)

    const ids = sound.store.all<{id: string}>(`SELECT id FROM files WHERE title LIKE 'thing %'`)
    const table = world.file('ids.csv', `id\n${ids.map(({id}) => id).join('\n')}\n`)
    const trashed = () => count('FROM files WHERE trashed_at IS NOT NULL')
    const trash = ['files trash', '--from', table, ...checkpoint('trash')]
    expect(await persist(THINGS, trash)).toBeGreaterThanOrEqual(KILLS - 1)
    expect(trashed()).toBe(THINGS)
    for (const kind of ['status', 'reset', 'lose']) expect(struck.get(kind)).toBeGreaterThan(0)
    for (const [name, things] of [
      ['made', MADE],
      ['trash', THINGS],
    ] as const) {
      const notes = readFileSync(join(world.folder, `${name}.checkpoint`), 'utf8')
      expect(new Set(notes.match(/(?<="done":")[^"]+/g)).size).toBe(things)
      expect(existsSync(join(world.folder, `${name}.checkpoint.lock`))).toBe(false)
    }
  },
)
