import {mkdirSync, readdirSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, test} from 'vitest'
import {readFaultPlan} from '#lib/service/faults/read.js'
import {createService} from '#lib/service/index.js'
import {runDrv} from '../../support/drv.js'
import {startWorld, type World} from '../../support/world.js'

/** Journal entries left by a client that was killed after its transfer was complete. */

/** Larger than the limit above which files are uploaded in a session. */
const LARGE = Buffer.alloc(9 * 1024 * 1024, 'large ')

/** A world whose service processes the first chunk, but does not respond. */
const startSlowWorld = () =>
  startWorld({
    faults: readFaultPlan(
      '{"rules": [{"operations": "*", "via": "chunk", "fault": "lose", "hold": 60, "calls": [1]}]}',
    ),
  })

/** Runs a command, and kills it when the service has the file, before the client knows. */
async function killedAfterUpload(
  {data, env}: World,
  args: readonly string[],
  title = 'large.bin',
): Promise<void> {
  const service = await createService({data})
  const there = () =>
    service.store.all('SELECT 1 FROM files WHERE title = :title', {title}).length > 0
  const {signal, stderr} = await runDrv(args, {
    env,
    ending: {signal: 'SIGKILL', when: there},
  })
  expect(signal, stderr).toBe('SIGKILL')
  await service.close()
}

const left = ({env}: World, kind = 'transfers') =>
  readdirSync(join(env.XDG_STATE_HOME!, 'drv', kind))

test.each([
  ['as it was', LARGE, {created: 0, unchanged: 1}],
  ['with other content', Buffer.from('small'), {created: 0, replaced: 1}],
])(
  'a push that finds its file uploaded, %s, deletes the journal entry',
  async (_, next, counts) => {
    const world = await startSlowWorld()
    try {
      const source = join(world.folder, 'source')
      mkdirSync(source)
      writeFileSync(join(source, 'large.bin'), LARGE)
      const args = [`${source}/`, '/New/Place']
      await killedAfterUpload(world, ['push', ...args])
      expect(left(world).filter(name => name.endsWith('.json'))).toHaveLength(1)
      writeFileSync(join(source, 'large.bin'), next)
      expect(await world.drv('push', ...args)).toMatchObject(counts)
      expect(left(world)).toEqual([])
      expect(left(world, 'trees')).toEqual([])
      expect(await world.drv('transfers list')).toEqual([])
    } finally {
      await world.close()
    }
  },
)

test.each(['fail', 'rename', 'replace'])(
  'an insert with --if-exists %s that is run again recognizes the file it created',
  async how => {
    const world = await startSlowWorld()
    try {
      const source = join(world.folder, 'large.bin')
      writeFileSync(source, LARGE)
      if (how === 'rename') await world.make('large.bin', 'root', 'of another')
      const title = how === 'rename' ? 'large (1).bin' : 'large.bin'
      const args = ['files', 'insert', source, '--if-exists', how]
      await killedAfterUpload(world, args, title)
      expect(await world.drv('files insert', source, '--if-exists', how)).toMatchObject({title})
      const titles = (await world.children('root')).map(child => child.title).sort()
      expect(titles).toEqual(how === 'rename' ? ['large (1).bin', 'large.bin'] : ['large.bin'])
      expect(left(world)).toEqual([])
    } finally {
      await world.close()
    }
  },
)
