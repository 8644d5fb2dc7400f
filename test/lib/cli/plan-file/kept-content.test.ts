import {existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect, onTestFinished, test} from 'vitest'
import {contentFolderOf, createContentFolder} from '#lib/cli/plan-file/kept-content.js'

test.each([
  ['/w/a.plan.content-Ab12_9/x.txt', '/w/a.plan.content-Ab12_9'],
  ['/w/a.plan.content-Ab12_9/sub/x.txt', '/w/a.plan.content-Ab12_9'],
  ['/w/a.plan.content-Ab12_9', undefined],
  ['/w/a.plan.content-Ab12/x.txt', undefined],
  ['/w/a.plan.content-Ab12_9.txt/x.txt', undefined],
  ['/w/b.plan.content-Ab12_9/x.txt', undefined],
  ['/w/sub/a.plan.content-Ab12_9/x.txt', undefined],
  ['/v/a.plan.content-Ab12_9/x.txt', undefined],
  ['/w/x.txt', undefined],
  ['/w/a.plan', undefined],
])('the content folder of /w/a.plan for %s', (path, folder) => {
  expect(contentFolderOf('/w/a.plan', path)).toBe(folder)
})

test('the content of a plan stays after the command only if the plan uses it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'drv-'))
  onTestFinished(() => rmSync(folder, {recursive: true}))
  const plan = join(folder, 'a.plan')
  const others = ['b.plan.content-Ab12_9', 'a.plan.content-x', 'a.plan.content-Ab12_9']
  for (const name of others) mkdirSync(join(folder, name))
  const endings: Array<() => unknown> = []
  const begin = () =>
    createContentFolder({options: {plan} as never, onEnd: end => void endings.push(end)})
  const end = async () => {
    for (const ending of endings.splice(0)) await ending()
    return [...others.map(name => join(folder, name)), failed, used].map(path => existsSync(path))
  }
  const [failed, used] = [await begin(), await begin()]
  writeFileSync(plan, JSON.stringify({local: {path: `${used.slice(folder.length + 1)}/input`}}))
  expect(await end()).toEqual([true, true, false, false, true])
  await begin()
  rmSync(plan)
  expect(await end()).toEqual([true, true, false, false, false])
})
