import {mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync} from 'node:fs'
import {dirname, join, resolve} from 'node:path'
import {expect, onTestFinished, test} from 'vitest'
import {planPath, rootFor} from '#lib/cli/plan-file/local-content.js'
import {createPlanFile, isOfPlan} from '#lib/cli/plan-file/plan-output.js'
import {temporaryFolder} from '../../../support/drv.js'

function folder(): string {
  const {path, remove} = temporaryFolder()
  onTestFinished(remove)
  return path
}

test('a plan appears under its name once it is complete', async () => {
  const path = join(folder(), 'a.plan')
  const output = await createPlanFile(path)
  await output.write('{"plan":1}\n')
  expect(readdirSync(dirname(path))).not.toContain('a.plan')
  await output.write(`${'x'.repeat(200_000)}\n`)
  await output.finish()
  await output.discard()
  expect(readFileSync(path, 'utf8')).toHaveLength(200_012)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readdirSync(dirname(path))).toEqual(['a.plan'])
})

test('an unfinished plan leaves nothing behind, and an earlier one stays', async () => {
  const path = join(folder(), 'a.plan')
  writeFileSync(path, '{"plan":1,"id":"earlier"}\n')
  const output = await createPlanFile(path)
  await output.write('{"plan":1,"id":"new"}\n')
  await output.discard()
  expect(readFileSync(path, 'utf8')).toContain('earlier')
  expect(readdirSync(dirname(path))).toEqual(['a.plan'])
})

test.each([
  ['a file of another kind', (path: string) => writeFileSync(path, 'notes')],
  ['a folder', (path: string) => mkdirSync(path)],
  ['a link', (path: string) => symlinkSync('/etc/passwd', path)],
])('%s is never replaced', async (_, make) => {
  const path = join(folder(), 'a.plan')
  make(path)
  await expect(createPlanFile(path)).rejects.toMatchObject({
    name: 'UsageError',
    message: `Cannot write the plan to ${path}: it exists and is not a plan.`,
  })
})

test('a folder that does not exist is an error', async () => {
  await expect(createPlanFile(join(folder(), 'no', 'a.plan'))).rejects.toMatchObject({
    name: 'UsageError',
  })
})

test.each([
  ['p', true],
  ['p.done', true],
  ['p.12.0123abcd-34567.tmp', true],
  ['p.txt', false],
  ['p.done.txt', false],
  ['p/x', false],
  ['q', false],
])('a plan p owns %s: %s', (path, isOwn) => {
  expect(isOfPlan('./p', path)).toBe(isOwn)
})

test.each([
  ['/a/b', '/a/b/c/d.txt', 'c/d.txt'],
  ['/a/b', '/a/b', ''],
  ['/', '/x', 'x'],
  ['/a/b', '/a/b/..c', '..c'],
])('below %s, %s is %s', (root, path, name) => {
  expect(planPath(root, path)).toBe(name)
})

test.each(['/a', '/a/bc', '/a/b/../x', '/etc/passwd'])('%s is outside of /a/b', path => {
  expect(() => planPath('/a/b', path)).toThrow(/outside \/a\/b/)
})

test('the root is the current folder, or the folder of a file that is elsewhere', () => {
  expect(rootFor('test/a.txt')).toBe(resolve())
  expect(rootFor('/elsewhere/a.txt')).toBe('/elsewhere')
})
