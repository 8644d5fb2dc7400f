import {mkdirSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {createService, type Service} from '#lib/service/index.js'
import {runHere} from '../../support/here.js'
import {randomOf} from '../../support/random.js'
import {rounds} from '../../support/size.js'
import {startWorld, type World} from '../../support/world.js'

/**
 * Commands that are killed at random moments: the history never says less than what happened, never claims what
 * did not, and undo restores the state before.
 */

/** Number of kills for each command. */
const KILLS = rounds(3, 20)
/** Number of items of each command. */
const ITEMS = 40

let world: World
let service: Service
beforeAll(async () => {
  world = await startWorld({}, runHere)
  service = await createService({data: world.data})
})
afterAll(async () => {
  await service.close()
  await world.close()
})

/** The state of each item: its place, title, content and access. Items in the trash are left out. */
function stateOfItems(): Map<string, string> {
  const files = service.store.all<{id: string; state: string}>(
    `SELECT id, parent_id || ' ' || title || ' ' || COALESCE(head_revision_id, '') AS state FROM files
     WHERE trashed = 0 AND parent_id IS NOT NULL`,
  )
  const access = service.store.all<{id: string; state: string}>(
    `SELECT file_id AS id, group_concat(id || ' ' || role) AS state FROM (
       SELECT * FROM permissions ORDER BY file_id, id
     ) GROUP BY file_id`,
  )
  const accessOf = new Map(access.map(({id, state}) => [id, state]))
  return new Map(files.map(({id, state}) => [id, `${state} ${accessOf.get(id) ?? ''}`]))
}

/** Number of changes so far; costs no requests. */
const changes = () =>
  service.store.get<{last: number | null}>('SELECT max(id) AS last FROM changes')!.last ?? 0

const lines = (line: (index: number) => object) =>
  Array.from({length: ITEMS}, (_, index) => `${JSON.stringify(line(index))}\n`).join('')

const local = (index: number) => join(world.folder, 'source', `f${index}.txt`)

/** Prepares the command, and returns its words. */
const COMMANDS: Readonly<Record<string, (kill: number) => Promise<[string, string[]]>>> = {
  async share() {
    const source = world.file(
      'share.ndjson',
      lines(index => ({file: `/items/item ${index}`, who: 'ada@example.com'})),
    )
    return ['share', ['--from', source, '--no-notify']]
  },
  async mv() {
    const source = world.file(
      'mv.ndjson',
      lines(index => ({path: `/items/item ${index}`})),
    )
    return ['mv', ['/other', '--from', source]]
  },
  async push(kill) {
    const folder = join(world.folder, 'source')
    return ['push', [`${folder}/`, `/pushed ${kill}`]]
  },
  async 'files insert'() {
    return ['files insert', Array.from({length: ITEMS}, (_, index) => local(index))]
  },
}

beforeAll(async () => {
  mkdirSync(join(world.folder, 'source'))
  for (let index = 0; index < ITEMS; index++) writeFileSync(local(index), `content ${index}`)
  await world.drv('mkdir', '/items', '/other')
  const source = world.file(
    'items.ndjson',
    lines(index => ({title: `item ${index}`, parent: '/items'})),
  )
  await world.drv('files insert', '--from', source, '--quiet')
})

interface StepRow {
  readonly id: string
  readonly fileId?: string
  readonly state: string
}

test.each(Object.keys(COMMANDS))(
  '%s, killed at random moments',
  {timeout: 60_000 + KILLS * 30_000},
  async name => {
    const random = randomOf(2030 + name.length)
    for (let kill = 0; kill < KILLS; kill++) {
      const [command, args] = await COMMANDS[name]!(kill)
      const before = stateOfItems()
      const [start, goal] = [changes(), Math.floor(random() * ITEMS)]
      const ending = {signal: 'SIGKILL', when: () => changes() - start >= goal} as const
      const [last] = await world.drv('history')
      const killed = await world.run(command, [...args, '--quiet'], {ending})

      const after = stateOfItems()
      const changed = [...after].flatMap(([id, state]) => (before.get(id) === state ? [] : [id]))
      const [run] = await world.drv('history')
      if (run?.id === last?.id) {
        expect(changed, killed.stderr).toEqual([])
        continue
      }
      const steps = ((await world.drv('history', '--steps')) as StepRow[]).filter(({id}) =>
        id.startsWith(run.id),
      )
      const stateOf = new Map(steps.map(({fileId, state}) => [fileId, state]))
      for (const id of changed) expect(['done', 'unknown'], id).toContain(stateOf.get(id))
      const ids = new Set(changed)
      for (const [id, state] of stateOf) if (state === 'done') expect(ids, state).toContain(id)

      const undone = await world.run('undo', [run.id, '--yes', '--quiet'])
      const isRight = undone.code === 0 || (undone.code === 5 && changed.length === 0)
      expect(isRight, `kill ${kill}, ${changed.length} changed: ${undone.stderr}`).toBe(true)
      expect(stateOfItems()).toEqual(before)
      // The next run does not resume the uploads of this one.
      expect((await world.run('transfers discard', ['--all'])).code).toBe(0)
    }
  },
)

test.each(['push', 'files insert'])(
  '%s, killed and undone, creates everything when it runs again',
  {timeout: 120_000},
  async name => {
    const [command, given] = await COMMANDS[name]!(0)
    const folder = await world.drv('mkdir', `/again ${name}`)
    const args = name === 'push' ? [given[0]!, `/again ${name}`] : [...given, '--parent', folder.id]
    const start = changes()
    const ending = {signal: 'SIGKILL', when: () => changes() - start >= ITEMS / 2} as const
    await world.run(command, [...args, '--quiet'], {ending})
    expect((await world.run('undo', ['--yes', '--quiet'])).code).toBe(0)
    expect(await world.children(folder.id)).toEqual([])
    const again = await world.run(command, [...args, '--quiet'])
    expect(again.code, again.stderr).toBe(0)
    expect(await world.children(folder.id)).toHaveLength(ITEMS)
  },
)
