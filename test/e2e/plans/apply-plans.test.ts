import {chmodSync, existsSync, readdirSync, readFileSync, statSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'
import {type CaseFolder, contentCases, createCase, type PlanCase, planCases} from './plan-cases.js'

let world: World
/** An editor that adds a line to each file. */
let editor: string
beforeAll(async () => {
  world = await startWorld({}, runHere)
  editor = world.file('editor', '#!/bin/sh\nfor file; do echo edited >> "$file"; done\n')
  chmodSync(editor, 0o700)
})
afterAll(() => world.close())

/** A request to the service, without drv. */
async function ask(path: string): Promise<any> {
  const headers = {authorization: `Bearer ${world.env.DRV_TOKEN}`}
  const answer = await fetch(`${world.url}/drive/v2/${path}`, {headers})
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`)
  return answer.json()
}

/** Everything in a remote folder that a command can change, without IDs and dates. */
async function remoteState(folder: string): Promise<unknown[]> {
  const query = new URLSearchParams({q: `'${folder}' in parents`, maxResults: '1000'})
  const {items} = await ask(`files?${query}`)
  const states = await Promise.all(
    items.map(async (item: any) => {
      const {id, title, mimeType, md5Checksum, description, labels, shortcutDetails} = item
      const isFolder = mimeType.endsWith('.folder')
      const {items: labelIds} = await ask(`files/${id}/listLabels`)
      const [permissions, properties, revisions] = await Promise.all(
        ['permissions', 'properties', 'revisions'].map(async kind => {
          const isNone = kind === 'revisions' && md5Checksum === undefined
          return isNone ? [] : (await ask(`files/${id}/${kind}`)).items
        }),
      )
      return {
        title,
        mimeType,
        md5Checksum,
        description,
        labels: {...labels, viewed: undefined},
        labelIds: labelIds.map((one: any) => one.id),
        isShortcut: shortcutDetails !== undefined,
        permissions: permissions
          .map((one: any) => [
            ...[one.type, one.emailAddress, one.role],
            one.expirationDate?.slice(0, 10),
          ])
          .sort(),
        properties: properties.map((one: any) => [one.key, one.value]),
        revisions: revisions.map((one: any) => [one.md5Checksum, one.pinned]),
        items: isFolder ? await remoteState(id) : undefined,
      }
    }),
  )
  return states.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
}

/** The names and contents of a local folder, without parts that differ between runs. */
function localState(folder: string): unknown {
  return readdirSync(folder)
    .filter(name => !/\.plan|\.csv$/.test(name))
    .map(name => {
      const path = join(folder, name)
      const isFolder = statSync(path).isDirectory()
      const shown = name.replace(/\d{4}-\d\d-\d\dT.*/, 'TIME').replace(/^(direct|planned) /, '')
      return [shown, isFolder ? localState(path) : readFileSync(path, 'utf8')]
    })
}

async function stateOf({ids, local}: CaseFolder): Promise<unknown> {
  return {remote: await remoteState(ids.top!), local: localState(local)}
}

/** Runs a command line of a case. */
async function run(one: PlanCase, folder: CaseFolder, ...more: readonly string[]) {
  const [command, ...rest] = one.line(folder)
  const input = one.input?.(folder)
  const result = await world.run(command!, [...rest, ...more], {input, env: {EDITOR: editor}})
  expect(result.stderr).not.toContain('Error')
  expect(result.code).toBe(0)
}

/** Commands that ask for confirmation. */
const CONFIRMED =
  /^(children delete|parents delete|permissions delete|files delete|rm --permanently|revisions prune|push --delete|pull --delete)$/

let count = 0

test.each(planCases)('$name: applying its plan has the same effect', async one => {
  count += 1
  const title = (kind: string) => `${kind} ${count}`
  const direct = await createCase(world, title('direct'), one)
  await run(one, direct, ...(CONFIRMED.test(one.name) ? ['--yes'] : []))
  const planned = await createCase(world, title('planned'), one)
  const before = await stateOf(planned)
  const file = join(world.folder, `${title('p')}.plan`)
  await run(one, planned, '--plan', file)
  expect(await stateOf(planned)).toEqual(before)
  const applied = await world.run('apply', [file, '--yes'])
  expect(applied.stderr).not.toContain('Error')
  expect(applied.code).toBe(0)
  const after = await stateOf(planned)
  expect(after).not.toEqual(before)
  expect(after).toEqual(await stateOf(direct))
  expect(existsSync(file)).toBe(true)
})

test('shared drives are created once, and changed by the ID that the plan found', async () => {
  const plan = async (name: string, ...args: readonly string[]) => {
    const [command, ...rest] = [...args, '--plan', `${name}.plan`]
    expect(await world.run(command!, rest)).toMatchObject({code: 0})
    return world.run('apply', [`${name}.plan`, '--yes'])
  }
  const drives = async () => (await ask('drives')).items
  expect((await plan('new', 'drives', 'insert', '--name', 'Planned')).code).toBe(0)
  // The request ID in the plan keeps a second run from creating another one.
  const again = await world.run('apply', ['new.plan', '--yes', '--checkpoint', 'other'])
  expect([again.code, await drives()]).toMatchObject([expect.any(Number), [{name: 'Planned'}]])
  expect((await plan('change', 'drives', 'update', 'Planned', '--name', 'Money')).code).toBe(0)
  expect(await drives()).toMatchObject([{name: 'Money'}])
  expect((await plan('hide', 'drives', 'hide', 'Money')).code).toBe(0)
  expect(await drives()).toMatchObject([{hidden: true}])
  expect((await plan('gone', 'drives', 'delete', 'Money')).code).toBe(0)
  expect(await drives()).toEqual([])
})

test('content next to a plan is deleted when the whole plan is applied, and not before', async () => {
  const one = contentCases[0]!
  const folder = await createCase(world, 'kept', one)
  const file = join(world.folder, 'kept.plan')
  const contents = () =>
    readdirSync(world.folder).filter(name => name.includes('kept.plan.content-'))
  await run(one, folder, '--plan', file)
  expect(contents()).toHaveLength(1)
  expect((await world.run('apply', [file, '--dry-run'])).code).toBe(0)
  expect((await world.run('apply', [file, '--only', 'new.txt', '--yes'])).code).toBe(0)
  expect(contents()).toHaveLength(1)
  expect((await world.run('apply', [file, '--yes'])).code).toBe(0)
  expect(contents()).toEqual([])
  const again = await world.run('apply', [file, '--yes'])
  expect(again.code).toBe(0)
  expect(again.stderr).toRead()
})

test('content next to a plan is deleted after its last shard', async () => {
  const one = contentCases[0]!
  const folder = await createCase(world, 'in parts', one)
  const file = join(world.folder, 'parts.plan')
  const contents = () =>
    readdirSync(world.folder).filter(name => name.includes('parts.plan.content-'))
  await run(one, folder, '--plan', file)
  for (const part of ['1/3', '2/3', '3/3']) {
    const [all] = (await world.drv('plan status', file)).slice(-1)
    expect(contents()).toHaveLength(all.left > 0 ? 1 : 0)
    expect((await world.run('apply', [file, '--shard', part, '--yes'])).code).toBe(0)
  }
  expect(contents()).toEqual([])
})

test('content next to a plan stays after a conflict', async () => {
  const one = contentCases[0]!
  const folder = await createCase(world, 'stays', one)
  const file = join(world.folder, 'stays.plan')
  await run(one, folder, '--plan', file)
  const changed = world.file('changed.txt', 'changed by somebody else')
  expect((await world.run('files', ['update', folder.ids['a.txt']!, changed])).code).toBe(0)
  expect((await world.run('apply', [file, '--yes'])).code).toBe(12)
  const names = readdirSync(world.folder)
  expect(names.filter(name => name.includes('stays.plan.content-'))).toHaveLength(1)
})

test('a shared drive that somebody changed since is a conflict; one that is as planned is done', async () => {
  const drv = (...[command, ...args]: readonly string[]) => world.run(command!, args)
  expect((await drv('drives', 'insert', '--name', 'Compared')).code).toBe(0)
  await drv('drives', 'update', 'Compared', '--name', 'New', '--plan', 'update.plan')
  await drv('drives', 'hide', 'Compared', '--plan', 'hide.plan')
  await drv('drives', 'delete', 'Compared', '--plan', 'delete.plan')
  expect((await drv('drives', 'update', 'Compared', '--name', 'Other')).code).toBe(0)
  expect((await drv('apply', 'update.plan', '--yes')).code).toBe(12)
  expect((await drv('apply', 'delete.plan', '--yes')).code).toBe(12)
  expect((await drv('drives', 'hide', 'Other')).code).toBe(0)
  const hidden = await drv('apply', 'hide.plan', '--yes')
  expect(hidden.code).toBe(0)
  expect(hidden.stderr).toRead()
  expect((await ask('drives')).items).toMatchObject([{name: 'Other', hidden: true}])
  expect((await drv('drives', 'update', 'Other', '--name', 'New')).code).toBe(0)
  expect((await drv('apply', 'update.plan', '--yes')).code).toBe(0)
  expect((await drv('drives', 'delete', 'New', '--yes')).code).toBe(0)
})
