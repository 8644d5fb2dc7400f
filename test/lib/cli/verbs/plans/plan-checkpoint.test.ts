import {appendFileSync, mkdtempSync, rmSync, statSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect, onTestFinished, test} from 'vitest'
import {openPlanCheckpoint, readProgress} from '#lib/cli/verbs/plans/plan-checkpoint.js'
import {HEAD} from '../../../../support/plan.js'

function newFile() {
  const folder = mkdtempSync(join(tmpdir(), 'drv-'))
  onTestFinished(() => rmSync(folder, {recursive: true}))
  return {path: join(folder, 'checkpoint'), isDefault: false}
}
const problem = {label: 'a', reason: 'it is gone', isConflict: true}

test('contains completed, started and failed steps, readable by its owner only', async () => {
  const file = newFile()
  const first = await openPlanCheckpoint(file, HEAD)
  first.begin([1, 2, 3])
  first.finish(1)
  first.fail(2, problem)
  await first.close()
  expect(statSync(file.path).mode & 0o777).toBe(0o600)
  const {done, begun, problems} = await readProgress(file, HEAD)
  expect([done.has(1), done.has(2), begun.has(3)]).toEqual([true, false, true])
  expect(problems).toEqual(new Map([[2, problem]]))
})

test('an incomplete last line is ignored, and a step that succeeds later has no problem', async () => {
  const file = newFile()
  const first = await openPlanCheckpoint(file, HEAD)
  first.fail(2, problem)
  await first.close()
  appendFileSync(file.path, '{"done":1')
  const second = await openPlanCheckpoint(file, HEAD)
  second.finish(2)
  await second.close()
  const {done, problems} = await readProgress(file, HEAD)
  expect([done.has(1), done.has(2), problems.size]).toEqual([false, true, 0])
})

test('belongs to one plan, and one process at a time', async () => {
  const file = newFile()
  const first = await openPlanCheckpoint(file, HEAD)
  await expect(openPlanCheckpoint(file, HEAD)).rejects.toRead()
  first.finish(1)
  await first.close()
  const another = {...HEAD, id: 'another-plan'}
  await expect(openPlanCheckpoint(file, another)).rejects.toRead()
  const replaced = await openPlanCheckpoint({...file, isDefault: true}, another)
  expect(replaced.done.size()).toBe(0)
  await replaced.close()
  expect((await readProgress(file, another)).isThere).toBe(true)
})

test('another file is not changed', async () => {
  const file = {...newFile(), isDefault: true}
  writeFileSync(file.path, 'Dear Sir or Madam\n')
  await expect(openPlanCheckpoint(file, HEAD)).rejects.toRead()
})
