import {readFileSync, rmSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, beforeEach, expect, test} from 'vitest'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'

/** An undo as a plan that `drv apply` applies. */

let world: World
beforeAll(async () => {
  world = await startWorld({}, runHere)
})
afterAll(() => world.close())
beforeEach(async () => {
  rmSync(join(world.env.XDG_STATE_HOME!, 'drv'), {recursive: true, force: true})
  await world.run('config unset', ['history.full'])
})

interface Run {
  readonly id: string
  readonly command: string
  readonly state: string
}
const runs = (...args: string[]): Promise<Run[]> => world.drv('history', ...args)

/** Writes the plan of an undo, and applies it; returns the lines of the plan. */
async function undoByPlan(...args: string[]): Promise<Array<Record<string, any>>> {
  const plan = join(world.folder, 'undo.plan')
  rmSync(plan, {force: true})
  rmSync(`${plan}.done`, {force: true})
  const planned = await world.run('undo', [...args, '--plan', plan])
  expect(planned.code, planned.stderr).toBe(0)
  const applied = await world.run('apply', [plan, '--yes'])
  expect(applied.code, applied.stderr).toBe(0)
  const lines = readFileSync(plan, 'utf8').trim().split('\n')
  return lines.slice(1, -1).map(line => JSON.parse(line))
}

const titleOf = async (id: string) => (await world.drv('files get', id)).title as string

test('an applied undo marks the command as undone, and can be undone', async () => {
  const id = await world.make('a.txt', 'root', 'a')
  await world.drv('rename', id, 'b.txt')
  const [step] = await undoByPlan()
  expect(await titleOf(id)).toBe('a.txt')
  const [undo, rename] = await runs()
  expect(rename!.state).toBe('undone')
  expect(step!.undoes).toBe(`${rename!.id}/1`)
  expect(undo!.command).toMatch(/^drv apply .*undo\.plan --yes$/)
  // Neither the renaming nor its undo is the command to undo next.
  expect((await world.run('undo', ['--yes'])).code).toBe(5)
  const again = await world.run('undo', [undo!.id, '--yes'])
  expect(again.code, again.stderr).toBe(0)
  expect(await titleOf(id)).toBe('b.txt')
  expect((await runs()).find(run => run.id === rename!.id)!.state).toBe('done')
})

test('a plan has all requests of an undo, also several for one change', async () => {
  const id = await world.make('c.txt', 'root', 'one')
  const expiring = ['--role', 'reader', '--expires', '30d']
  await world.drv('share', id, 'ada@example.com', ...expiring)
  const access = async () =>
    (await world.drv('permissions list', id)).items.map(
      ({emailAddress, role, expirationDate}: Record<string, string>) => ({
        ...{emailAddress, role, expirationDate},
      }),
    )
  const before = await access()
  await world.drv('unshare', id, 'ada@example.com')
  expect(await access()).toHaveLength(1)
  expect((await undoByPlan()).map(({undoes}) => typeof undoes)).toEqual(['undefined', 'string'])
  expect(await access()).toEqual(before)

  await world.run('config set', ['history.full', 'true'])
  await world.drv('files update', id, world.file('two.txt', 'two'), '--title', 'd.txt')
  await undoByPlan()
  expect((await world.run('cat', [id])).stdout).toBe('one')
  expect(await titleOf(id)).toBe('c.txt')
  expect((await runs()).map(({state}) => state)).toEqual([
    ...['done', 'undone', 'done', 'undone', 'done'],
  ])
})

test('what an applied plan changed can be undone, although it reads nothing first', async () => {
  const id = await world.make('g.txt', 'root', 'g')
  await world.drv('share', id, 'ada@example.com', '--role', 'writer')
  const state = async () => {
    const {title, modifiedDate, description} = await world.drv('files get', id)
    const {items} = await world.drv('permissions list', id)
    const properties = await world.drv('properties list', id)
    const roles = items.map(({emailAddress, role}: Record<string, string>) => [emailAddress, role])
    return {title, description, modifiedDate, roles, properties: properties.items}
  }
  const before = await state()
  const grant = ['--role', 'reader', '--type', 'user', '--value', 'ada@example.com']
  const date = '2020-01-02T03:04:05.000Z'
  for (const [command, ...args] of [
    ['rename', 'h.txt'],
    ['files patch', '--description', 'x', '--modified-date', date, '--set-modified-date'],
    ['permissions insert', ...grant],
    ['share', 'eve@example.com'],
    ['properties insert', '--key', 'k', '--value', 'v'],
    ['unshare', 'ada@example.com'],
  ] as const) {
    const plan = join(world.folder, `${command}.plan`)
    const planned = await world.run(command, [id, ...args, '--plan', plan])
    expect(planned.code, planned.stderr).toBe(0)
    const applied = await world.run('apply', [plan, '--yes'])
    expect(applied.code, applied.stderr).toBe(0)
    expect(await state(), command).not.toEqual(before)
    const undone = await world.run('undo', ['--yes'])
    expect(undone.code, `${command}: ${undone.stderr}`).toBe(0)
    const {modifiedDate: _, ...after} = await state()
    expect(after, command).toEqual({...before, modifiedDate: undefined})
  }
})

test('the history names the files that an applied plan uploads', async () => {
  const path = world.file('named.txt', 'one')
  const plan = join(world.folder, 'named.plan')
  for (const content of ['one', 'two']) {
    writeFileSync(path, content)
    await world.run('push', [path, '/', '--plan', plan])
    rmSync(`${plan}.done`, {force: true})
    expect((await world.run('apply', [plan, '--yes'])).code).toBe(0)
  }
  expect(await runs('--steps')).toMatchObject([
    {operation: 'files.update', item: 'named.txt'},
    {operation: 'files.insert', item: 'named.txt'},
  ])
})

test('planning compares the items with the history, not only by ETag', async () => {
  const [starred, renamed] = [
    await world.make('e.txt', 'root', 'e'),
    await world.make('f.txt', 'root', 'f'),
  ]
  await world.drv('rename', starred, 'e2.txt')
  await world.drv('star', starred, '--no-history')
  await undoByPlan()
  expect(await titleOf(starred)).toBe('e.txt')

  await world.drv('rename', renamed, 'f2.txt')
  await world.drv('rename', renamed, 'by somebody.txt', '--no-history')
  const plan = join(world.folder, 'conflict.plan')
  const planned = await world.run('undo', ['--plan', plan])
  expect(planned.code).toBe(12)
  expect(planned.stderr).toRead()
  expect((await world.run('undo', ['--dry-run'])).stderr).toRead()
})
