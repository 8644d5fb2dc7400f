import {createServer, request} from 'node:http'
import type {AddressInfo} from 'node:net'
import {afterAll, beforeAll, expect, onTestFinished, test} from 'vitest'
import {createService, type Service} from '#lib/service/index.js'
import {runHere} from '../../support/here.js'
import {randomOf} from '../../support/random.js'
import {rounds} from '../../support/size.js'
import {startWorld, type World} from '../../support/world.js'

const KILLS = rounds(4, 20)
/** Number of items of each command that is killed. */
const KILLED = 100
const THINGS = rounds(300, 1000)

let world: World
let sound: Service
beforeAll(async () => {
  world = await startWorld({}, runHere)
  sound = await createService({data: world.data})
})
afterAll(async () => {
  await sound.close()
  await world.close()
})

interface Item {
  readonly id: string
  readonly title: string
  readonly trashed: boolean
}

/** All files with a title that begins with some text, also in the trash. */
async function itemsNamed(start: string): Promise<Item[]> {
  const lines = `SELECT id, title, explicitly_trashed AS trashed FROM files WHERE title LIKE '${start}%'`
  return sound.store.all<{id: string; title: string; trashed: number}>(lines).map(row => ({
    ...row,
    trashed: row.trashed === 1,
  }))
}

/** Number of changes so far; costs no requests. */
const changes = () =>
  sound.store.get<{last: number | null}>('SELECT max(id) AS last FROM changes')!.last ?? 0

const lines = (count: number, line: (index: number) => object) =>
  Array.from({length: count}, (_, index) => `${JSON.stringify(line(index))}\n`).join('')

async function makeFiles(folder: string, count: number, prefix: string): Promise<void> {
  const source = world.file(
    `${prefix}.ndjson`,
    lines(count, index => ({title: `${prefix} ${index}`, parent: `/${folder}`})),
  )
  await world.drv('mkdir', '-p', `/${folder}`)
  const {code, stderr} = await world.run('files insert', ['--from', source, '--quiet'])
  expect(code, stderr).toBe(0)
}

interface StepRow {
  readonly fileId: string
  readonly state: string
}

test(
  'a command that is killed is recorded with everything it did, and undone with nothing else',
  {timeout: 240_000},
  async () => {
    const random = randomOf(2026)
    await makeFiles('killed', KILLED, 'kill')
    const original = new Map((await itemsNamed('kill ')).map(item => [item.id, item]))
    const paths = (line: (index: number) => object) => lines(KILLED, line)
    const commands: ReadonlyArray<readonly [string, string]> = [
      ['files trash', paths(index => ({path: `/killed/kill ${index}`}))],
      [
        'files patch',
        paths(index => ({fileId: `/killed/kill ${index}`, title: `kill renamed ${index}`})),
      ],
    ]
    for (let kill = 0; kill < KILLS; kill++) {
      const [command, records] = commands[kill % commands.length]!
      const source = world.file('kill.ndjson', records)
      const [start, goal] = [changes(), Math.floor(random() * KILLED)]
      const ending = {signal: 'SIGKILL', when: () => changes() - start >= goal} as const
      const [last] = await world.drv('history')
      await world.run(command, ['--from', source, '--concurrency', '3'], {ending})

      const changed = (await itemsNamed('kill ')).filter(({id, title, trashed}) => {
        const before = original.get(id)!
        return title !== before.title || trashed !== before.trashed
      })
      const [run] = await world.drv('history')
      if (run.id === last.id) {
        expect(changed).toEqual([])
        continue
      }
      const steps = ((await world.drv('history', '--steps')) as StepRow[]).filter(step =>
        String((step as {id?: string}).id).startsWith(run.id),
      )
      const stateOf = new Map(steps.map(({fileId, state}) => [fileId, state]))
      for (const {id} of changed) expect(['done', 'unknown']).toContain(stateOf.get(id))
      const ids = new Set(changed.map(({id}) => id))
      for (const [id, state] of stateOf) if (state === 'done') expect(ids).toContain(id)

      const undone = await world.run('undo', [run.id, '--yes', '--quiet'])
      expect(undone.code === 0 || (undone.code === 5 && changed.length === 0), undone.stderr).toBe(
        true,
      )
      const left = await itemsNamed('kill ')
      expect(new Map(left.map(item => [item.id, item]))).toEqual(original)
    }
  },
)

/** A proxy that counts the requests to the service. */
async function countingProxy(url: string) {
  let count = 0
  const {hostname, port} = new URL(url)
  const server = createServer((incoming, response) => {
    count += 1
    const {method, url: path, headers} = incoming
    const outgoing = request({hostname, port, method, path, headers}, answer => {
      response.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(response)
    })
    outgoing.on('error', () => response.destroy())
    incoming.pipe(outgoing)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    taken(): number {
      const taken = count
      count = 0
      return taken
    },
  }
}

test(
  'undoing a thousand changes takes no more than 1.2 times the requests of making them',
  {timeout: 240_000},
  async () => {
    const proxy = await countingProxy(world.url)
    const env = {DRV_BASE_URL: proxy.url, DRV_AUTH_URL: proxy.url}
    await makeFiles('many', THINGS, 'many')
    await world.drv('mkdir', '/elsewhere')
    const before = await itemsNamed('many ')
    const path = (index: number) => `/many/many ${index}`
    const commands: ReadonlyArray<readonly [string, string[], string]> = [
      ['files trash', [], lines(THINGS, index => ({path: path(index)}))],
      ['mv', ['/elsewhere'], lines(THINGS, index => ({path: path(index)}))],
      [
        'files patch',
        [],
        lines(THINGS, index => ({fileId: path(index), title: `many renamed ${index}`})),
      ],
      ['share', [], lines(THINGS, index => ({file: path(index), who: 'ada@example.com'}))],
    ]
    for (const [command, args, records] of commands) {
      const source = world.file('many.ndjson', records)
      proxy.taken()
      const done = await world.run(command, [...args, '--from', source, '--quiet'], {env})
      expect(done.code, done.stderr).toBe(0)
      const making = proxy.taken()
      const undone = await world.run('undo', ['--yes', '--quiet'], {env})
      expect(undone.code, undone.stderr).toBe(0)
      const undoing = proxy.taken()
      expect(undoing, `${command}: ${making} requests, undo: ${undoing}`).toBeLessThanOrEqual(
        making * 1.2,
      )
      expect(await itemsNamed('many ')).toEqual(before)
    }
    expect((await world.drv('permissions list', before[0]!.id)).items).toHaveLength(1)
  },
)

test('undoing changes of items that have changed otherwise since reads and sends them in batches', async () => {
  const proxy = await countingProxy(world.url)
  const env = {DRV_BASE_URL: proxy.url, DRV_AUTH_URL: proxy.url}
  await makeFiles('changed', 200, 'changed')
  const before = await itemsNamed('changed ')
  const source = world.file(
    'changed.ndjson',
    lines(200, index => ({
      fileId: `/changed/changed ${index}`,
      title: `changed otherwise ${index}`,
    })),
  )
  await world.run('files patch', ['--from', source, '--quiet'], {env})
  // Each file has another ETag after this.
  const stars = {...world.env, DRV_NO_HISTORY: '1'}
  const starred = world.file(
    'starred.ndjson',
    lines(200, index => ({fileId: before[index]!.id})),
  )
  const {code, stderr} = await world.run('star', ['--from', starred, '--quiet'], {env: stars})
  expect(code, stderr).toBe(0)
  proxy.taken()
  const undone = await world.run('undo', ['--yes', '--quiet'], {env})
  expect(undone.code, undone.stderr).toBe(0)
  // For each hundred: the refused calls, the reads, and the calls with the new ETags; and one that proves the token.
  expect(proxy.taken()).toBeLessThanOrEqual(9)
  expect(await itemsNamed('changed ')).toEqual(before)
})
