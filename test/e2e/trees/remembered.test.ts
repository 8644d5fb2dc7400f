import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {type ChangeProxy, startChangeProxy} from '../../support/change-proxy.js'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'

/** A later pull of the same folder asks only for what has changed since. */

let world: World
let proxy: ChangeProxy
beforeAll(async () => {
  world = await startWorld({}, runHere)
})
afterAll(() => world.close())

/** All files and folders below a directory, by path. */
function localTree(path: string): Record<string, string> {
  const all = readdirSync(path, {recursive: true, withFileTypes: true})
  const found = all.map(entry => {
    const whole = join(entry.parentPath, entry.name)
    return [whole.slice(path.length + 1), entry.isFile() ? readFileSync(whole, 'utf8') : '/']
  })
  return Object.fromEntries(found.sort()) as Record<string, string>
}

const throughProxy = () => ({DRV_BASE_URL: proxy.url, DRV_AUTH_URL: proxy.url})

/** Pulls through the proxy; answers the result and the requests. */
async function pull(...args: string[]) {
  proxy.requests.length = 0
  const result = await world.run('pull', [...args, '--json'], {env: throughProxy()})
  const requests = proxy.requests.map(line => line.replace(/\?.*$/, ''))
  return {...result, requests, tally: result.stdout === '' ? {} : result.json<any>()}
}

const CHANGES = 'GET /drive/v2/changes'
const download = (id: string) => `GET /drive/v2/files/${id}`

/** `a.txt`, `Sub/b.txt` and `Sub/Deep/c.txt` in a new folder, pulled. */
async function pulled(name: string) {
  proxy = await startChangeProxy(world.url)
  const top = await world.make(name, 'root')
  const sub = await world.make('Sub', top)
  const deep = await world.make('Deep', sub)
  const a = await world.make('a.txt', top, 'a')
  const b = await world.make('b.txt', sub, 'b')
  const c = await world.make('c.txt', deep, 'c')
  const target = join(world.folder, 'local', name)
  mkdirSync(target, {recursive: true})
  const again = (...more: string[]) => pull(`/${name}/`, target, ...more)
  expect((await again()).tally).toMatchObject({created: 3})
  return {name, top, sub, deep, a, b, c, target, again}
}

/** The files of all remembered trees. */
function treeFiles(): string[] {
  const folder = join(world.env.XDG_STATE_HOME!, 'drv/remembered')
  const names = readdirSync(folder).filter(name => name.endsWith('.jsonl'))
  return names.map(name => join(folder, name))
}

const update = (id: string, content: string) =>
  world.drv('files update', id, world.file('new content', content))

test('nothing new takes one request', async () => {
  const {again} = await pulled('unchanged')
  const {code, requests, tally, stderr} = await again()
  expect([code, requests, tally]).toMatchObject([0, [CHANGES], {unchanged: 3, created: 0}])
  expect(stderr).not.toContain('Excluded')
  expect((await again()).requests).toEqual([CHANGES])
})

test('nothing new takes no reading of the tree', async () => {
  const {again, target} = await pulled('unread')
  // Its size and its first line show that it is unchanged.
  for (const file of treeFiles()) {
    const [heading, ...lines] = readFileSync(file, 'utf8').split('\n')
    writeFileSync(file, [heading, ...lines.map(line => line.replace(/./g, '?'))].join('\n'))
  }
  expect(await again()).toMatchObject({code: 0, requests: [CHANGES], tally: {unchanged: 3}})
  writeFileSync(join(target, 'a.txt'), 'other')
  expect(await again()).toMatchObject({code: 0, tally: {replaced: 1, unchanged: 2}})
})

test('so does the folder itself, under its own name', async () => {
  const {name} = await pulled('named')
  const target = join(world.folder, 'local/around')
  expect((await pull(`/${name}`, target)).tally).toMatchObject({created: 3, folders: 3})
  expect(await pull(`/${name}`, target)).toMatchObject({requests: [CHANGES], tally: {unchanged: 3}})
})

test('changed, new, renamed and moved files cost what they cost', async () => {
  const {again, a, b, c, sub, deep, target} = await pulled('changed')
  await update(a, 'A')
  const n = await world.make('n.txt', deep, 'n')
  expect(await again()).toMatchObject({
    requests: [CHANGES, download(a), download(n)],
    tally: {created: 1, replaced: 1, unchanged: 2},
  })
  await world.drv('mv', b, 'id:' + deep)
  await world.drv('files patch', c, '--title', 'C.txt')
  const {requests, tally} = await again('--delete', '--yes')
  expect(requests.sort()).toEqual([CHANGES, download(b), download(c)].sort())
  expect(tally).toMatchObject({created: 2, removed: 2})
  rmSync(join(target, '.drv-trash'), {recursive: true})
  expect(localTree(target)).toEqual({
    ...{'a.txt': 'A', Sub: '/', 'Sub/Deep': '/', 'Sub/Deep/C.txt': 'c', 'Sub/Deep/b.txt': 'b'},
    'Sub/Deep/n.txt': 'n',
  })
  expect((await again()).requests).toEqual([CHANGES])
  expect(sub).toBeDefined()
})

test('new folders are listed, a trashed one is removed, a restored one comes back', async () => {
  const {again, top, sub, target} = await pulled('folders')
  const fresh = await world.make('Fresh', top)
  const inner = await world.make('Inner', fresh)
  await world.make('f.txt', inner, 'f')
  expect((await again()).tally).toMatchObject({created: 1, folders: 2, unchanged: 3})
  await world.drv('files trash', sub)
  expect((await again('--delete', '--yes')).tally).toMatchObject({removed: 1, unchanged: 2})
  expect(existsSync(join(target, 'Sub'))).toBe(false)
  await world.drv('files untrash', sub)
  expect((await again()).tally).toMatchObject({created: 2, folders: 2, unchanged: 2})
  expect(readFileSync(join(target, 'Sub/Deep/c.txt'), 'utf8')).toBe('c')
})

test('a tree that cannot be written is not used either', async () => {
  const {again, b, target} = await pulled('unwritable')
  const folder = join(world.env.XDG_STATE_HOME!, 'drv/remembered')
  const locks = readdirSync(folder).map(name => join(folder, `${name}.lock`))
  for (const lock of locks) mkdirSync(lock)
  await update(b, 'B')
  expect((await again()).tally).toMatchObject({replaced: 1, unchanged: 2})
  expect(readFileSync(join(target, 'Sub/b.txt'), 'utf8')).toBe('B')
  for (const lock of locks) rmSync(lock, {recursive: true})
})

test('what changed on this machine is noticed', async () => {
  const {again, a, b, c, target} = await pulled('here')
  writeFileSync(join(target, 'a.txt'), 'other')
  rmSync(join(target, 'Sub/b.txt'))
  expect(await again()).toMatchObject({
    requests: [CHANGES, download(a), download(b)],
    tally: {created: 1, replaced: 1, unchanged: 1},
  })
  rmSync(join(target, 'Sub'), {recursive: true})
  expect(await again()).toMatchObject({
    requests: [CHANGES, download(b), download(c)],
    tally: {created: 2, folders: 2, unchanged: 1},
  })
  // Other content of the same size, with the time kept; and the same content, with another time.
  const {mtime} = statSync(join(target, 'a.txt'))
  writeFileSync(join(target, 'other'), 'x')
  utimesSync(join(target, 'other'), mtime, mtime)
  renameSync(join(target, 'other'), join(target, 'a.txt'))
  utimesSync(join(target, 'Sub/b.txt'), new Date(), new Date(1e12))
  expect(await again()).toMatchObject({requests: [CHANGES, download(a)], tally: {unchanged: 2}})
  expect((await again()).requests).toEqual([CHANGES])
})

test('other options compare everything, without listing it again', async () => {
  const {again, target, top} = await pulled('options')
  writeFileSync(join(target, 'own.txt'), 'mine')
  await world.make('d.csv', top, 'd')
  expect(await again('--exclude', '*.csv')).toMatchObject({
    requests: [CHANGES],
    tally: {created: 0, unchanged: 3},
  })
  expect((await again()).tally).toMatchObject({created: 1, unchanged: 3})
  expect((await again('--delete', '--yes')).tally).toMatchObject({removed: 1, unchanged: 4})
  writeFileSync(join(target, '.drvignore'), 'Sub\n')
  expect((await again()).tally).toMatchObject({unchanged: 2})
  rmSync(join(target, 'Sub'), {recursive: true})
  expect((await again()).tally).toMatchObject({created: 0})
  rmSync(join(target, '.drvignore'))
  expect((await again()).tally).toMatchObject({created: 2})
})

test('a doubtful tree is listed anew', async () => {
  const {again, name, top, target} = await pulled('doubtful')
  const LIST = 'GET /drive/v2/files'
  // A torn line is the last one of a killed process; the rest is still true.
  for (const file of treeFiles()) appendFileSync(file, '["node","')
  expect((await again()).requests).toEqual([CHANGES])
  for (const file of treeFiles()) appendFileSync(file, '["node"]\n')
  expect((await again()).requests).toContain(LIST)
  expect((await again()).requests).toEqual([CHANGES])
  // The token is of a service with more changes than this one.
  for (const file of treeFiles()) {
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replaceAll(/"token":"\d+"/g, '"token":"99999999"'),
    )
  }
  expect(await again()).toMatchObject({code: 0, tally: {unchanged: 3}})
  expect((await again()).requests).toEqual([CHANGES])
  // Another folder has the name now.
  await world.drv('files patch', top, '--title', 'was doubtful')
  expect((await again()).code).toBe(5)
  const other = await world.make(name, 'root')
  await world.make('other.txt', other, 'o')
  expect((await again()).tally).toMatchObject({created: 1})
  expect(localTree(target)).toMatchObject({'other.txt': 'o', 'a.txt': 'a'})
  // A second folder of the name makes the path ambiguous.
  await world.make(name, 'root')
  expect((await again()).code).toBe(12)
})

test('a file that keeps the number from an earlier pull is said to', async () => {
  const {again, top, target} = await pulled('numbered')
  const first = await world.make('same', top, '1')
  await world.make('same', top, '2')
  expect((await again()).tally).toMatchObject({created: 2})
  await world.drv('files delete', first, '--yes')
  rmSync(join(target, 'same (1)'))
  const {stderr} = await world.run('pull', ['/numbered/', target], {env: throughProxy()})
  expect(stderr).toRead()
  expect(readFileSync(join(target, 'same (1)'), 'utf8')).toBe('2')
})

test('a tree with a shortcut to a folder is listed every time', async () => {
  const {again, top} = await pulled('shortcuts')
  const far = await world.make('Far', 'root')
  const f = await world.make('f.txt', far, 'f')
  await world.drv('ln', 'id:' + far, 'id:' + top)
  expect((await again()).tally).toMatchObject({created: 1})
  await update(f, 'F')
  expect((await again()).tally).toMatchObject({replaced: 1, unchanged: 3})
})

test('a dry run neither uses nor changes what is remembered', async () => {
  const {again, a} = await pulled('dry')
  await update(a, 'A')
  const {requests, tally} = await again('--dry-run')
  expect([requests.includes(CHANGES), tally]).toEqual([
    false,
    expect.arrayContaining([{action: 'replace', input: 'a.txt', bytes: 1}]),
  ])
  expect((await again()).requests).toEqual([CHANGES, download(a)])
})
