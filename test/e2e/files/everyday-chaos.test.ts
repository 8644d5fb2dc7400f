import {expect, onTestFinished, test} from 'vitest'
import {readFaultPlan} from '#lib/service/faults/read.js'
import {createService} from '#lib/service/index.js'
import {runHere} from '../../support/here.js'
import {startWorld} from '../../support/world.js'

/** A world in which the first responses to these operations are lost, and one without faults. */
async function losing(...operations: readonly string[]) {
  const rules = operations.map(one => ({operations: [one], fault: 'lose', first: 1}))
  let lost = 0
  const world = await startWorld(
    {
      faults: readFaultPlan(JSON.stringify({seed: 2026, rules})),
      onFault: () => void (lost += 1),
    },
    runHere,
  )
  const service = await createService({data: world.data})
  onTestFinished(async () => {
    await service.close()
    await world.close()
  })
  const sound = (command: string, args: readonly string[]) =>
    world.run(command, args, {env: {DRV_BASE_URL: service.url}})
  const titlesIn = async (path: string): Promise<string[]> => {
    const {stdout} = await sound('files get', [path, '--format', 'ids'])
    const q = `'${stdout.trim()}' in parents and trashed = false`
    const list = await sound('files list', ['--q', q, '--all', '--fields', 'title'])
    return list.stdout.split('\n').filter(Boolean).sort()
  }
  return {world, sound, titlesIn, lost: () => lost}
}

test('a folder is created once after a lost response', async () => {
  const {world, titlesIn, lost} = await losing('files.insert')
  const made = await world.run('mkdir', ['-p', '/a/b/c'])
  expect(made.code, made.stderr).toBe(0)
  expect(lost()).toBe(1)
  expect(await titlesIn('/')).toEqual(['a'])
  expect(await titlesIn('/a')).toEqual(['b'])
})

test('files are copied once after lost responses, alone and in a batch', async () => {
  const {world, sound, titlesIn, lost} = await losing('files.copy', 'batch')
  await sound('mkdir', ['-p', '/from', '/to', '/one'])
  const files = ['x', 'y', 'z']
  for (const name of files) await sound('files insert', ['--title', name, '--parent', '/from'])
  expect((await world.run('cp', ['/from/x', '/one'])).code).toBe(0)
  expect((await world.run('cp', ['/from/', '/to'])).code).toBe(0)
  expect(lost()).toBeGreaterThanOrEqual(2)
  expect(await titlesIn('/one')).toEqual(['x'])
  expect(await titlesIn('/to')).toEqual(files)
})

test('moves with lost responses are reported as done', async () => {
  const {world, sound, titlesIn, lost} = await losing('files.patch', 'batch')
  await sound('mkdir', ['-p', '/from', '/to', '/one'])
  const files = ['w', 'x', 'y', 'z']
  for (const name of files) await sound('files insert', ['--title', name, '--parent', '/from'])
  const one = await world.run('mv', ['/from/w', '/one'])
  expect(one.code, one.stderr).toBe(0)
  const all = await world.run('mv', ['/from/', '/to'])
  expect(all.code, all.stderr).toBe(0)
  expect(lost()).toBeGreaterThanOrEqual(2)
  expect(await titlesIn('/one')).toEqual(['w'])
  expect(await titlesIn('/to')).toEqual(['x', 'y', 'z'])
})
