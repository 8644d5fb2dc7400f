import {createHash} from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {FOLDER_TYPE} from '#lib/api/wire.js'
import {readFaultPlan} from '#lib/service/faults/read.js'
import {startDrv} from '../../support/drv.js'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'

let world: World
beforeAll(async () => {
  world = await startWorld({}, runHere)
})
afterAll(() => world.close())

/** A local tree: text is a file, an object is a folder. */
interface Tree {
  readonly [name: string]: string | Tree
}

function plant(path: string, tree: Tree): string {
  mkdirSync(path, {recursive: true})
  for (const [name, entry] of Object.entries(tree)) {
    if (typeof entry === 'string') writeFileSync(join(path, name), entry)
    else plant(join(path, name), entry)
  }
  return path
}

const sum = (content: string) => createHash('md5').update(content).digest('hex')

/** The contents of a remote folder, as MD5s by path; folders end in a slash. */
async function remoteTree(id: string, path = ''): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const {id: child, title, mimeType, md5Checksum} of await world.children(id)) {
    const at = `${path}${title}`
    expect(found).not.toHaveProperty([at])
    if (mimeType === FOLDER_TYPE)
      Object.assign(found, {[`${at}/`]: ''}, await remoteTree(child, `${at}/`))
    else found[at] = md5Checksum
  }
  return found
}

const makeFolder = (title: string, parent = 'root') => world.make(title, parent)

test('a tree is uploaded once, then only changed files', async () => {
  const {drv, folder} = world
  const top = await makeFolder('first')
  const source = plant(join(folder, 'one'), {
    'a.txt': 'a',
    '.hidden': 'h',
    'empty.txt': '',
    sub: {'b.txt': 'bb', deeper: {"it's \\ odd.txt": 'odd'}},
    nothing: {},
  })
  expect(await drv('push', source, '/first')).toMatchObject({
    created: 5,
    folders: 4,
    bytes: 7,
    failed: [],
  })
  const tree = {
    'one/': '',
    'one/a.txt': sum('a'),
    'one/.hidden': sum('h'),
    'one/empty.txt': sum(''),
    'one/sub/': '',
    'one/sub/b.txt': sum('bb'),
    'one/sub/deeper/': '',
    "one/sub/deeper/it's \\ odd.txt": sum('odd'),
    'one/nothing/': '',
  }
  expect(await remoteTree(top)).toEqual(tree)

  expect(await drv('push', source, top)).toMatchObject({created: 0, replaced: 0, unchanged: 5})
  // The same size as before, so only the MD5 differs.
  plant(source, {'a.txt': 'A', sub: {'new.txt': 'new'}})
  expect(await drv('push', source, '/first')).toMatchObject({created: 1, replaced: 1, unchanged: 4})
  expect(await remoteTree(top)).toEqual({
    ...tree,
    'one/a.txt': sum('A'),
    'one/sub/new.txt': sum('new'),
  })
})

test('several sources are uploaded into new folders', async () => {
  const {drv, folder} = world
  const one = plant(join(folder, 'several/x'), {'x.txt': 'x'})
  const two = plant(join(folder, 'several/y'), {'y.txt': 'y'})
  await drv('push', one, `${two}/`, world.file('z.txt', 'z'), '/made/on the way')
  const [made] = (await drv('files list', '--q', "title = 'made'")).items
  expect(await remoteTree(made.id)).toEqual({
    'on the way/': '',
    'on the way/x/': '',
    'on the way/x/x.txt': sum('x'),
    'on the way/y.txt': sum('y'),
    'on the way/z.txt': sum('z'),
  })
})

test('the modified time is kept', async () => {
  const {drv, file} = world
  const top = await makeFolder('times')
  const path = file('dated.txt', 'x')
  utimesSync(path, new Date(), new Date('2020-02-03T04:05:06Z'))
  await drv('push', path, top)
  const items = await world.children(top)
  expect(items[0]).toMatchObject({modifiedDate: '2020-02-03T04:05:06.000Z', mimeType: 'text/plain'})
})

test('--dry-run shows the steps and changes nothing', async () => {
  const {drv, folder} = world
  const top = await makeFolder('dry')
  await world.make('old', top, '')
  const source = plant(join(folder, 'dry'), {'a.txt': 'a', d: {}})
  expect(await drv('push', `${source}/`, top, '--delete', '--dry-run')).toEqual([
    {action: 'upload', input: 'a.txt', bytes: 1},
    {action: 'folder', input: 'd'},
    {action: 'trash', input: 'old'},
  ])
  expect(Object.keys(await remoteTree(top))).toEqual(['old'])
})

test('--dry-run says that there is nothing to do', async () => {
  const {run, drv, folder} = world
  const top = await makeFolder('nothing')
  const source = plant(join(folder, 'nothing'), {'a.txt': 'a', 'b.txt': 'b'})
  await drv('push', `${source}/`, top)
  const {code, stdout, stderr} = await run('push', [`${source}/`, top, '-n'])
  expect([code, stdout]).toEqual([0, ''])
  expect(stderr).toRead()
})

test('--dry-run shows failures and changes nothing', async () => {
  const {run, folder} = world
  const top = await makeFolder('clash')
  const source = plant(join(folder, 'clash'), {'caf\u00e9': '1', 'cafe\u0301': '2'})
  const result = await run('push', [`${source}/`, top, '--dry-run'])
  expect(result.code).toBe(9)
  expect(result.stderr).toRead()
})

test('two concurrent runs upload each file once, and both succeed', async () => {
  const {run} = world
  const top = await makeFolder('twice')
  const source = many('twice', 100)
  const both = await Promise.all([1, 2].map(() => run('push', [`${source}/`, top])))
  expect(both.map(({code, stderr}) => [code, /Failed/.test(stderr)])).toEqual([
    [0, false],
    [0, false],
  ])
  expect(await world.children(top)).toHaveLength(100)
})

test('a run that listed the folder before another run finished creates no duplicates', async () => {
  // The first list of the folder is taken at once, but returned only after the other run has ended.
  const rules = [{operations: 'files.list', fault: 'slow', bytesPerSecond: 10, calls: [1]}]
  const slow = await startWorld({faults: readFaultPlan(JSON.stringify({rules}))}, runHere)
  try {
    const top = await slow.make('top', 'root')
    const source = plant(join(slow.folder, 'source'), {'a.txt': 'a', b: {'c.txt': 'c'}})
    const {env} = slow
    const early = startDrv(['push', `${source}/`, top, '--debug'], {env})
    const ended = new Promise(settle => early.on('close', settle))
    await new Promise<void>(settle => {
      let text = ''
      early.stderr.on('data', (chunk: Buffer) => {
        text += chunk
        if (text.includes('drive/v2/files?')) settle()
      })
    })
    expect(await slow.drv('push', `${source}/`, top)).toMatchObject({created: 2, folders: 1})
    expect(early.exitCode).toBeNull()
    expect(await ended).toBe(0)
    const titles = (await slow.children(top)).map(({title}) => title)
    expect(titles.sort()).toEqual(['a.txt', 'b'])
    expect(readdirSync(join(env.XDG_STATE_HOME!, 'drv/trees'))).toEqual([])
  } finally {
    await slow.close()
  }
})

test('--delete trashes files that are missing locally, only in pushed folders', async () => {
  const {drv, folder} = world
  const top = await makeFolder('mirror')
  const beside = await world.make('beside', top, '')
  const source = plant(join(folder, 'mirrored'), {'a.txt': 'a', 'b.txt': 'b', d: {'c.txt': 'c'}})
  await drv('push', source, top)
  rmSync(join(source, 'b.txt'))
  rmSync(join(source, 'd'), {recursive: true})
  expect(await drv('push', source, top)).toMatchObject({removed: 0})
  expect(await drv('push', source, top, '--delete', '--yes')).toMatchObject({
    removed: 2,
    unchanged: 1,
  })
  expect(Object.keys(await remoteTree(top)).sort()).toEqual([
    'beside',
    'mirrored/',
    'mirrored/a.txt',
  ])
  const {items} = await drv('files list', '--q', "trashed = true and title = 'b.txt'")
  expect(items).toHaveLength(1)
  expect(await drv('files get', beside)).toMatchObject({labels: {trashed: false}})
})

test('an ambiguous name is an error that lists both items', async () => {
  const {drv, run, file} = world
  const ids = [await makeFolder('twice'), await makeFolder('twice')]
  const result = await run('push', [file('t.txt', 't'), '/twice'])
  expect(result.code).toBe(12)
  for (const id of ids) expect(result.stderr).toContain(id)
  expect(await drv('push', file('t.txt', 't'), ids[0]!)).toMatchObject({created: 1})
  // Names are case-sensitive.
  expect(await drv('push', file('t.txt', 't'), '/TWICE')).toMatchObject({created: 1})
})

test('failures are listed, the rest is uploaded, and nothing is deleted', async () => {
  const {run, folder} = world
  const top = await makeFolder('partly')
  await world.make('old', top, '')
  await makeFolder('taken', top)
  const source = plant(join(folder, 'partly'), {taken: 'a file', 'fine.txt': 'fine'})
  symlinkSync('/etc/passwd', join(source, 'link'))
  const result = await run('push', [`${source}/`, top, '--delete', '--yes', '--json'])
  expect(result.code).toBe(9)
  const {failed, skipped, ...tally} = result.json()
  expect(tally).toMatchObject({created: 1, removed: 0})
  expect(failed).toMatchObject([{path: 'taken'}])
  expect(skipped).toMatchObject([{path: 'link'}, {path: 'old'}])
  for (const {reason} of [...failed, ...skipped]) expect(reason).toRead()
  expect(result.stderr).toRead()
})

test.each([
  [['no-such-file', '/'], 2, 'no such file or directory'],
  [['.', '/a//b'], 2, 'Invalid path'],
  [['.', '/', '--concurrency', '0'], 2, '--concurrency'],
  [['.', 'no-such-id'], 5, 'no-such-id'],
  [['.'], 2, ''],
])('%j ends with %i', async (args, code, words) => {
  const result = await world.run('push', args)
  expect(result.code).toBe(code)
  expect(result.stderr).toContain(words)
})

test('a refused token stops the run at once', async () => {
  const {run, folder} = world
  const source = plant(join(folder, 'refused'), {'a.txt': 'a'})
  const result = await run('push', [source, '/'], {env: {DRV_TOKEN: 'wrong'}})
  expect(result.code).toBe(4)
})

/** A folder with many small files. */
function many(name: string, count: number): string {
  const files = Array.from({length: count}, (_, index) => [`f${index}.txt`, `content ${index}`])
  return plant(join(world.folder, name), Object.fromEntries(files))
}

test('after Ctrl-C, the same command finishes the rest', async () => {
  const {drv, run, env} = world
  const top = await makeFolder('interrupted')
  const source = many('interrupted', 400)
  // The IDs are written down before the first file is sent.
  const ids = join(env.XDG_STATE_HOME!, 'drv/trees')
  const written = () =>
    existsSync(ids)
      ? readdirSync(ids)
          .filter(isIdFile)
          .map(name => readFileSync(join(ids, name), 'utf8'))
      : []
  const others = written()
  const when = () => written().join() !== others.join()
  const {code, stderr} = await run('push', [`${source}/`, top], {ending: {signal: 'SIGINT', when}})
  expect(code).toBe(130)
  expect(stderr).toRead()
  const before = Object.keys(await remoteTree(top)).length
  expect(before).toBeLessThan(400)
  const {created, unchanged} = await drv('push', `${source}/`, top)
  expect(created + unchanged).toBe(400)
  // Requests in flight then may have arrived since.
  expect(unchanged).toBeGreaterThanOrEqual(before)
  expect(Object.keys(await remoteTree(top))).toHaveLength(400)
  expect(written()).toEqual(others)
})

const isIdFile = (name: string) => name.endsWith('.json')

test('a token refused during the run stops it at once', async () => {
  const rules = [{operations: 'files.insert', fault: 'status', status: 401, calls: [20]}]
  const strict = await startWorld({faults: readFaultPlan(JSON.stringify({rules}))}, runHere)
  try {
    const result = await strict.run('push', [`${many('strict', 400)}/`, '/'])
    expect(result.code).toBe(4)
    expect(result.stderr).toRead()
    // This machine blocks the refused token for a while, so check from elsewhere.
    const elsewhere = {XDG_STATE_HOME: join(strict.folder, 'elsewhere')}
    const list = await strict.run('files list', ['--all', '--json'], {env: elsewhere})
    // Requests in flight at the refusal may arrive, and those a busy machine started before reading it.
    expect(list.json<{items: unknown[]}>().items.length).toBeLessThan(200)
  } finally {
    await strict.close()
  }
})
