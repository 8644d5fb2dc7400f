import {chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {startChangeProxy} from '../../support/change-proxy.js'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'
import {
  contentCases,
  createCase,
  everydayCases,
  operationCases,
  otherOperationCases,
  sharingCases,
  treeCases,
} from './plan-cases.js'

let world: World
/** An editor that adds a line to each file. */
let editor: string
beforeAll(async () => {
  world = await startWorld({}, runHere)
  editor = world.file('editor', '#!/bin/sh\nfor file; do echo edited >> "$file"; done\n')
  chmodSync(editor, 0o700)
})
afterAll(() => world.close())

/** The lines of a plan file. */
function linesOf(path: string): any[] {
  return readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
}

/** Runs a command with `--plan`; returns the result, the lines, and the requests. */
async function plan(args: readonly string[], name: string, input = '') {
  const proxy = await startChangeProxy(world.url)
  const file = join(world.folder, `${name}.plan`)
  const env = {DRV_BASE_URL: proxy.url, DRV_AUTH_URL: proxy.url, EDITOR: editor}
  const [command, ...rest] = args
  const result = await world.run(command!, [...rest, '--plan', file], {env, input})
  const [head, ...lines] = existsSync(file) ? linesOf(file) : []
  return {...proxy, result, file, head, steps: lines.slice(0, -1), end: lines.at(-1)}
}

let count = 0

describe.each([
  ['operations', operationCases],
  ['other operations', otherOperationCases],
  ['everyday verbs', everydayCases],
  ['trees', treeCases],
  ['sharing', sharingCases],
  ['content of its own', contentCases],
] as const)('--plan with %s', (_, cases) => {
  test.each(cases)('$name writes complete steps and sends no change', async one => {
    const title = `plan ${(count += 1)}`
    const folder = await createCase(world, title, one)
    const input = one.input?.(folder)
    const {result, head, steps, end, changes, file} = await plan(one.line(folder), title, input)
    expect(result).toMatchObject({code: 0, stdout: ''})
    expect(changes).toEqual([])
    expect(steps.map(({operation, here}) => operation ?? here)).toEqual(one.steps)
    expect(end).toEqual({end: {steps: one.steps.length}})
    expect(head).toMatchObject({plan: 1, account: {login: 'local@example.com'}})
    expect(steps.map(({key}) => key)).toEqual(one.steps.map((_, index) => String(index + 1)))
    expect(statSync(file).mode & 0o777).toBe(0o600)
    for (const {operation, body, local, output, params} of steps) {
      if (['files.insert', 'files.copy'].includes(operation)) expect(body.id).toMatch(/^\w/)
      if (local) expect(local).toMatchObject({md5: expect.stringMatching(/^[0-9a-f]{32}$/)})
      if (local ?? output) expect(existsSync(head.root)).toBe(true)
      expect(params?.fields).toBeUndefined()
    }
  })
})

test('existing items have their ETag, unless an earlier step changes them', async () => {
  const one = operationCases.find(({name}) => name.includes('twice'))!
  const folder = await createCase(world, 'twice', one)
  const {steps} = await plan(one.line(folder), 'twice')
  const {etag} = await world.drv('files get', folder.ids['a.txt']!)
  expect(steps[0]).toMatchObject({etag})
  expect(steps[0].after).toBeUndefined()
  expect(steps[1]).toMatchObject({etag: expect.any(String)})
  expect(steps[2]).toMatchObject({after: ['1']})
  expect(steps[2].etag).toBeUndefined()
})

test('a new folder comes before its contents', async () => {
  const one = treeCases[0]!
  const folder = await createCase(world, 'order', one)
  const {steps, head, result} = await plan(one.line(folder), 'order')
  expect(head.root).toBe(join(folder.local, 'tree'))
  expect(steps.map(({label, after, local}) => [label, after, local?.path])).toEqual([
    ['tree', undefined, undefined],
    ['tree/inner', ['1'], undefined],
    ['tree/n.txt', ['1'], 'n.txt'],
    ['tree/inner/m.txt', ['2'], 'inner/m.txt'],
  ])
  expect(steps[1].body.parents).toEqual([{id: steps[0].body.id}])
  expect(result.stderr).toBe(
    `4 to create, 2 B to upload. To make the changes, run \`drv apply ${join(world.folder, 'order.plan')}\`.\n`,
  )
})

test('removals say what they remove, and run last', async () => {
  const one = treeCases[1]!
  const folder = await createCase(world, 'last', one)
  const {steps} = await plan(one.line(folder), 'last')
  expect(steps.at(-1)).toMatchObject({
    action: 'trash',
    afterAll: 'nothing is deleted after a failure',
    etag: expect.any(String),
  })
  const rm = await plan(['rm', `${folder.top}/a.txt`, `${folder.top}/sub`], 'rm')
  expect(rm.steps.map(({impact}) => impact)).toEqual([
    {files: 1, folders: 0, bytes: 5},
    {files: 0, folders: 1, bytes: 0, isMore: true},
  ])
})

test('the steps of a table are named after their items, and the trash is not counted', async () => {
  const folder = await world.make('named by path', 'root')
  const id = await world.make('first', folder, 'a')
  await world.make('second', folder, 'b')
  const path = '/named by path/second'
  const rows = world.file('rows.csv', `fileId,title\n${id},new\n${path},other\n`)
  const {steps} = await plan(['files', 'patch', '--from', rows], 'table')
  expect(steps).toMatchObject([{label: id}, {label: path, path}])
  const {result} = await plan(['files', 'empty-trash'], 'emptied')
  expect(result.stderr).toRead()
})

test('- is standard output, and programs get the counts', async () => {
  const one = everydayCases[0]!
  const {top} = await createCase(world, 'output', one)
  const {stdout, stderr, code} = await world.run('rm', [`${top}/a.txt`, '--plan', '-'])
  expect([code, stderr]).toEqual([0, '1 to trash.\n'])
  expect(stdout.trimEnd().split('\n')).toHaveLength(3)
  const file = join(world.folder, 'counts.plan')
  const counts = await world.run('rm', [`${top}/a.txt`, '--plan', file, '--json'])
  expect(counts.json()).toEqual({plan: file, steps: 1, trash: 1})
})

test('steps that would fail are reported, and the plan has the others', async () => {
  const {top, ids} = await createCase(world, 'some', everydayCases[0]!)
  const some = await plan(['rm', `${top}/a.txt`, `${top}/missing`, ids.top!, 'nosuchid'], 'some')
  expect(some.result.code).toBe(9)
  expect(some.steps).toHaveLength(2)
  expect(some.result.stderr).toRead()
  const none = await plan(['rm', `${top}/missing`], 'none')
  expect([none.result.code, existsSync(none.file)]).toEqual([5, false])
  expect(readdirSync(world.folder).filter(name => name.endsWith('.tmp'))).toEqual([])
})

test('kept content is beside the plan, for its owner only', async () => {
  const one = contentCases[0]!
  const folder = await createCase(world, 'edited', one)
  const {steps, head} = await plan(one.line(folder), 'edited')
  const [changed, created] = steps.map(({local}) => join(head.root, local.path))
  expect(readFileSync(changed!, 'utf8')).toBe('a.txtedited\n')
  expect(readFileSync(created!, 'utf8')).toBe('edited\n')
  expect(statSync(dirname(dirname(changed!))).mode & 0o777).toBe(0o700)
  const line = [...one.line(folder).slice(1), '--plan', '-']
  const {code, stderr} = await world.run('edit', line, {env: {EDITOR: editor}})
  expect(code).toBe(2)
  expect(stderr).toRead()
})

test('a plan in the folder that it is about leaves itself out', async () => {
  const one = treeCases.find(({name}) => name === 'push --delete')!
  const {top, local} = await createCase(world, 'inside', one)
  const cwd = join(local, 'tree')
  for (const number of [1, 2]) {
    const args = ['./', top, '--delete', '--plan', 'p.plan']
    const {code} = await world.run('push', args, {cwd})
    const labels = linesOf(join(cwd, 'p.plan')).flatMap(({label = []}) => label)
    expect([code, number, labels.sort()]).toEqual([0, number, ['a.txt', 'inner', 'n.txt', 'sub']])
  }
  await world.run('pull', [`${top}/`, '.', '--delete', '--plan', 'p.plan'], {cwd})
  const labels = linesOf(join(cwd, 'p.plan')).flatMap(({label = []}) => label)
  expect(labels).not.toContain('p.plan')
  expect(labels.filter((label: string) => label.includes('plan'))).toEqual([])
})

test('only the access of people can end in a plan', async () => {
  const {top} = await createCase(world, 'ends', sharingCases[0]!)
  const {code, stderr} = await world.run('share', [
    ...[`${top}/a.txt`, '--public', '--expires', '30d', '--plan', 'ends.plan'],
  ])
  expect(code).toBe(1)
  expect(stderr).toRead()
})

test('after a failure, a push plans no deletion', async () => {
  const one = treeCases[1]!
  const folder = await createCase(world, 'kept', one)
  writeFileSync(join(folder.local, 'tree', 'sub'), 'a file with the name of a folder')
  const {result, steps} = await plan(one.line(folder), 'kept')
  expect(result.code).toBe(9)
  expect(steps.map(({operation}) => operation)).not.toContain('files.trash')
})

test('an earlier plan is replaced, any other file is kept', async () => {
  const {top} = await createCase(world, 'file', everydayCases[0]!)
  const first = await plan(['rm', `${top}/a.txt`], 'file')
  const second = await plan(['rm', `${top}/b.txt`], 'file')
  expect(second.head.id).not.toBe(first.head.id)
  const other = world.file('other.plan', 'my notes')
  const {code, stderr} = await world.run('rm', [`${top}/b.txt`, '--plan', 'other.plan'])
  expect(code).toBe(2)
  expect(stderr).toRead()
  expect(readFileSync(other, 'utf8')).toBe('my notes')
})

test('no token is in a plan, and its command line shows none', async () => {
  const {top} = await createCase(world, 'secret', everydayCases[0]!)
  const token = world.env.DRV_TOKEN!
  const args = ['files', 'patch', `${top}/a.txt`, '--description', `token ${token}`]
  const {head} = await plan(args, 'secret')
  expect(head.command).toContain('(secret)')
  expect(head.command).not.toContain(token)
})

test('shared drives are planned by ID', async () => {
  const {id} = await world.drv('drives insert', '--name', 'Finance')
  const {steps} = await plan(['drives', 'update', 'Finance', '--name', 'Money'], 'drive')
  expect(steps).toMatchObject([{operation: 'drives.update', params: {driveId: id}}])
})

test.each([
  'ls /',
  'share /',
  'share --report',
  'alias set x ls',
  'auth logout',
  'files watch / --address https://example.com/hook',
  'pull / - --format tar',
  'rm /x --dry-run',
  'files trash /x --curl',
])('drv %s refuses --plan', async line => {
  const [command, ...rest] = line.split(' ')
  const {result, file, requests} = await plan([command!, ...rest], 'refused')
  expect(result.code).toBe(2)
  expect(result.stderr).toRead()
  expect([existsSync(file), requests]).toEqual([false, []])
})

test('the ETags of a hundred items are read with one request', async () => {
  const top = await world.make('counted', 'root')
  const names = Array.from({length: 120}, (_, index) => `f${index}`)
  await Promise.all(names.map(name => world.make(name, top, 'x')))
  const {requests, changes, steps} = await plan(
    ['rm', ...names.map(name => `/counted/${name}`)],
    'counted',
  )
  expect([steps.length, changes]).toEqual([120, []])
  expect(steps.every(({etag}) => typeof etag === 'string')).toBe(true)
  // Two resolve the paths, the first one alone, to prove the token. The ETags are read in two batches.
  expect(requests.map(line => line.replace(/\/[\w-]{20,}|\?.*/g, ''))).toEqual([
    ...['GET /drive/v2/files/root', 'POST /batch'],
    ...['POST /batch', 'POST /batch'],
    'GET /drive/v2/about',
  ])
})
