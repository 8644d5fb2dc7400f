import {hash} from 'node:crypto'
import {existsSync, mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {freshEnvironment, runDrv} from '../../support/drv.js'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'

let world: World
beforeAll(async () => {
  world = await startWorld({}, runHere)
})
afterAll(() => world.close())

const SHARDS = 8
const FOLDERS = 6
const FILES = 12

/** Every file below a remote folder, with its path and MD5; a path that two items have comes twice. */
async function remoteFiles(id: string, at = ''): Promise<string[]> {
  const all: string[] = []
  for (const item of await world.children(id)) {
    const path = `${at}/${item.title}`
    if (item.mimeType.endsWith('.folder')) all.push(path, ...(await remoteFiles(item.id, path)))
    else all.push(`${path} ${item.md5Checksum}`)
  }
  return all.sort()
}

test('eight processes in eight homes, three of them killed and started again, make a tree once', async () => {
  const top = await world.make('Site', 'root')
  const [kept, gone] = [await world.make('kept', top), await world.make('gone', top)]
  const replaced: Array<Promise<string>> = []
  for (let file = 0; file < 20; file++) {
    replaced.push(world.make(`${file}.txt`, kept, 'old'), world.make(`${file}.txt`, gone, 'old'))
  }
  await Promise.all(replaced)
  const build = join(world.folder, 'build')
  const expected: string[] = []
  const write = (folder: string, name: string, text: string) => {
    writeFileSync(join(build, folder, name), text)
    expected.push(`/${folder}/${name} ${hash('md5', text)}`)
  }
  for (let folder = 0; folder < FOLDERS; folder++) {
    const path = `folder ${folder}/inner`
    mkdirSync(join(build, path), {recursive: true})
    expected.push(`/folder ${folder}`, `/${path}`)
    for (let file = 0; file < FILES; file++) write(path, `${file}.txt`, `${folder} ${file}`)
  }
  mkdirSync(join(build, 'kept'))
  expected.push('/kept')
  for (let file = 0; file < 20; file++) write('kept', `${file}.txt`, `new ${file}`)

  const plan = join(world.folder, 'site.plan')
  const planned = await world.run('push', [`${build}/`, '/Site', '--delete', '--plan', plan])
  expect(planned).toMatchObject({code: 0})

  const checkpoint = (shard: number) => `${plan}.${shard}-of-${SHARDS}.done`
  const dones = (shard: number) =>
    existsSync(checkpoint(shard))
      ? readFileSync(checkpoint(shard), 'utf8').split('"done":').length - 1
      : 0
  const apply = (shard: number, home: string, {isKilled = false, run = runDrv} = {}) =>
    run(['apply', plan, '--yes', '--shard', `${shard}/${SHARDS}`, '--concurrency', '2'], {
      cwd: world.folder,
      env: {...world.env, ...freshEnvironment(join(world.folder, home))},
      ...(isKilled && {ending: {signal: 'SIGKILL', when: () => dones(shard) >= 2 * shard}}),
    })
  const shards = Array.from({length: SHARDS}, (_, index) => index + 1)
  const first = await Promise.all(
    shards.map(shard => apply(shard, `home ${shard}`, {isKilled: shard <= 3})),
  )
  expect(first.slice(0, 3).map(({signal}) => signal)).toEqual(['SIGKILL', 'SIGKILL', 'SIGKILL'])
  for (const {code, stderr} of first.slice(3))
    expect([code, stderr]).toEqual([0, expect.any(String)])
  // One starts on another machine, which does not have the checkpoint.
  rmSync(checkpoint(2))
  const second = await Promise.all([1, 2, 3].map(shard => apply(shard, `other home ${shard}`)))
  for (const {code, stderr} of second) expect([code, stderr]).toEqual([0, expect.any(String)])

  expect(await remoteFiles(top)).toEqual(expected.sort())
  const revisions = await world.drv('revisions list', `/Site/kept/3.txt`)
  expect(revisions.items).toHaveLength(2)
  const status = (await world.run('plan status', [plan, '--json'])).json<any[]>()
  expect(status.at(-1)).toMatchObject({part: 'all', left: 0, failed: 0, conflicts: 0})
  expect(status).toHaveLength(SHARDS + 1)
  const again = await Promise.all(
    shards.map(shard => apply(shard, `home ${shard}`, {run: runHere})),
  )
  for (const {code, stderr} of again) {
    expect(code, stderr).toBe(0)
    expect(stderr.replace(/\d+/, 'N')).toRead()
  }
}, 120_000)
