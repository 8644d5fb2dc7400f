import {hash} from 'node:crypto'
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
import {dirname, join} from 'node:path'
import {afterAll, beforeAll, beforeEach, describe, expect, test} from 'vitest'
import {FOLDER_TYPE} from '#lib/api/wire.js'
import {startChangeProxy} from '../../support/change-proxy.js'
import {runHere} from '../../support/here.js'
import {HEAD, planText, writePlan} from '../../support/plan.js'
import {startWorld, type World} from '../../support/world.js'

let world: World
beforeAll(async () => {
  world = await startWorld({}, runHere)
})
afterAll(() => world.close())

let count = 0
/** The remote folder of a test, and its local folder. */
let top = ''
let local = ''
beforeEach(async () => {
  top = await world.make(`top ${++count}`, 'root')
  local = join(world.folder, `local ${count}`)
  mkdirSync(local)
})

const md5 = (text: string) => hash('md5', text)

/** Writes a plan with these steps; keys are numbers in order. */
function plan(steps: readonly object[], head: object = {}): string {
  const keyed = steps.map((step, index) => ({
    key: String(index + 1),
    label: `step ${index + 1}`,
    action: 'change',
    effect: 'changes',
    ...step,
  }))
  const text = planText(
    {
      ...HEAD,
      service: world.url,
      root: local,
      id: `plan-${count}-${Math.random().toString(36).slice(2)}`,
      ...head,
    },
    keyed,
  )
  return writePlan(world.folder, text, `plan ${count}.plan`)
}

const get = (id: string) => world.drv('files get', id)
const ids = async (number: number): Promise<string[]> =>
  (await world.drv('files generate-ids', '--max-results', String(number))).ids
const titles = async (folder: string) =>
  (await world.children(folder)).map(({title}) => title).sort()

/** A local file, as it is in a plan. */
function localFile(path: string, text: string) {
  mkdirSync(dirname(join(local, path)), {recursive: true})
  writeFileSync(join(local, path), text)
  return {path, size: Buffer.byteLength(text), md5: md5(text)}
}

const rename = (fileId: string, title: string, more: object = {}) => ({
  ...{action: 'rename', operation: 'files.patch', params: {fileId}, body: {title}},
  ...more,
})
const trash = (fileId: string, more: object = {}) => ({
  ...{action: 'trash', operation: 'files.trash', params: {fileId}},
  ...more,
})
const folder = (id: string, title: string, parent: string, more: object = {}) => ({
  ...{action: 'folder', operation: 'files.insert', params: {}, label: title},
  body: {id, title, mimeType: FOLDER_TYPE, parents: [{id: parent}]},
  ...more,
})
const upload = (id: string, path: string, text: string, parent: string, more: object = {}) => ({
  ...{action: 'upload', operation: 'files.insert', params: {}, label: path},
  body: {id, title: path.split('/').at(-1), parents: [{id: parent}]},
  local: localFile(path, text),
  ...more,
})

const apply = (file: string, ...flags: string[]) => world.run('apply', [file, '--yes', ...flags])

test('the lock of a killed run that had completed the plan is removed', async () => {
  const [id] = await ids(1)
  await world.drv('files insert', '--id', id!, '--title', 'before')
  const file = plan([rename(id!, 'after')])
  expect((await apply(file)).code).toBe(0)
  const lock = `${file}.done.lock`
  writeFileSync(lock, 'of a killed process')
  utimesSync(lock, 0, 0)
  const again = await apply(file)
  expect(again.stderr).toContain('Nothing to apply')
  expect(existsSync(lock)).toBe(false)
})

/** The notices, with the time left out. */
const notices = (text: string) => text.replace(/ in [\d.]+ s/g, ' in 0.1 s')

/** A folder with two uploads, a rename and a removal that depends on all of them. */
async function mixedPlan() {
  const [newFolder, one, two] = await ids(3)
  const [old, gone] = [
    await world.make('old.txt', top, 'old'),
    await world.make('gone.txt', top, 'x'),
  ]
  const file = plan([
    folder(newFolder!, 'css', top),
    upload(one!, 'css/a.css', 'a {}', newFolder!, {after: ['1']}),
    upload(two!, 'index.html', '<p>', top),
    rename(old, 'new.txt', {etag: (await get(old)).etag}),
    trash(gone, {afterAll: 'nothing is trashed after a failure', etag: (await get(gone)).etag}),
  ])
  return {file, newFolder: newFolder!, old, gone}
}

describe('applies', () => {
  test('every kind of step, and nothing the second time', async () => {
    const {file, newFolder} = await mixedPlan()
    const first = await apply(file)
    expect(first).toMatchObject({code: 0, stdout: ''})
    expect(notices(first.stderr)).toRead()
    expect(await titles(top)).toEqual(['css', 'index.html', 'new.txt'])
    expect(await titles(newFolder)).toEqual(['a.css'])
    expect(existsSync(`${file}.done`)).toBe(true)
    const second = await apply(file, '--json')
    expect(second).toMatchObject({code: 0})
    expect(second.json()).toMatchObject({steps: 0, done: 0, doneBefore: 5, conflicts: [], left: 0})
    expect((await apply(file)).stderr).toRead()
  })

  test('applied again without its checkpoint, finished steps count as done', async () => {
    const {file} = await mixedPlan()
    await apply(file, '--checkpoint', join(local, 'one'))
    const before = await world.children(top)
    const again = await apply(file, '--checkpoint', join(local, 'two'), '--json')
    expect(again).toMatchObject({code: 0})
    expect(again.json()).toMatchObject({steps: 5, left: 0, conflicts: [], failed: []})
    const states = (all: any[]) =>
      all.map(({id, title, headRevisionId}) => [id, title, headRevisionId]).sort()
    expect(states(await world.children(top))).toEqual(states(before))
  })

  test('downloads, local folders and removals', async () => {
    const id = await world.make('a.txt', top, 'hello')
    localFile('old/b.txt', 'b')
    const file = plan([
      {here: 'mkdir', output: {path: 'sub', overwrite: false}},
      {
        operation: 'files.get',
        params: {fileId: id},
        output: {
          path: 'sub/deep/a.txt',
          overwrite: false,
          size: 5,
          md5: md5('hello'),
          modified: 1e12,
        },
      },
      {here: 'remove', output: {path: 'old', overwrite: false}, afterAll: 'nothing is removed'},
    ])
    expect(await apply(file)).toMatchObject({code: 0})
    expect(readFileSync(join(local, 'sub/deep/a.txt'), 'utf8')).toBe('hello')
    expect(readdirSync(local).sort()).toEqual(['.drv-trash', 'sub'])
    const again = await apply(file, '--checkpoint', join(world.folder, `c${count}`), '--json')
    expect(again.json()).toMatchObject({steps: 3, left: 0})
  })

  test('a step after two others', async () => {
    const [a, b, c] = await ids(3)
    const file = plan([
      folder(a!, 'a', top),
      folder(b!, 'b', top),
      folder(c!, 'c', a!, {after: ['1', '2']}),
    ])
    expect(await apply(file)).toMatchObject({code: 0})
    expect(await titles(a!)).toEqual(['c'])
  })

  test('a new plan under the name of an earlier one', async () => {
    const id = await world.make('a.txt', top, 'a')
    expect(await apply(plan([rename(id, 'b.txt')]))).toMatchObject({code: 0})
    expect(await apply(plan([rename(id, 'c.txt')]))).toMatchObject({code: 0})
    expect(await titles(top)).toEqual(['c.txt'])
  })

  test('a plan from standard input', async () => {
    const id = await world.make('a.txt', top, 'a')
    const text = readFileSync(plan([rename(id, 'b.txt')]), 'utf8')
    const result = await world.run('apply', ['-', '--yes'], {input: text})
    expect(result).toMatchObject({code: 0})
    expect(await titles(top)).toEqual(['b.txt'])
  })

  test('only what matches, with the folders for it', async () => {
    const [a, b, one, two] = await ids(4)
    const file = plan([
      folder(a!, 'a', top),
      folder(b!, 'b', top),
      upload(one!, 'a/1.html', '1', a!, {after: ['1']}),
      upload(two!, 'b/2.css', '2', b!, {after: ['2']}),
    ])
    expect(await apply(file, '--only', '*.html')).toMatchObject({code: 0})
    expect(await titles(top)).toEqual(['a'])
    expect((await apply(file, '--only', '*.xml')).stderr).toRead()
    expect(await apply(file)).toMatchObject({code: 0})
    expect(await titles(top)).toEqual(['a', 'b'])
    expect(await titles(b!)).toEqual(['2.css'])
  })
})

test('policies count the steps of a plan, and one of them demands a plan', async () => {
  const [one, two] = [await world.make('a.txt', top, 'a'), await world.make('b.txt', top, 'b')]
  const file = plan([trash(one), trash(two), upload((await ids(1))[0]!, 'c.txt', 'content', top)])
  const policy = join(world.folder, 'policy.json')
  const env = {DRV_POLICY: policy}
  for (const limits of [{'max-delete': 1}, {'max-changes': 2}, {'max-bytes': 3}]) {
    writeFileSync(policy, JSON.stringify(limits))
    expect(await world.run('apply', [file, '--yes'], {env})).toMatchObject({code: 13})
    expect(await titles(top)).toEqual(['a.txt', 'b.txt'])
  }
  writeFileSync(policy, JSON.stringify({'require-plan': true, 'max-delete': 2}))
  expect(await world.run('rm', [one], {env})).toMatchObject({code: 13})
  expect(await world.run('apply', [file, '--yes'], {env})).toMatchObject({code: 0})
  expect(await titles(top)).toEqual(['c.txt'])
})

test('a file whose ID only the service assigns is not made again after an interruption', async () => {
  const insert = (title: string) => ({
    ...{action: 'create', operation: 'files.insert', params: {}},
    body: {title, mimeType: 'text/plain', parents: [{id: top}]},
  })
  const file = plan([insert('made.txt'), insert('new.txt')], {id: 'a-killed-plan'})
  await world.make('made.txt', top, '')
  const notes = [{checkpoint: {plan: 'a-killed-plan'}}, {begun: [1, 2]}]
  writeFileSync(`${file}.done`, notes.map(note => `${JSON.stringify(note)}\n`).join(''))
  const result = await apply(file, '--json')
  expect(result.code).toBe(12)
  expect(result.json<any>().conflicts).toMatchObject([{key: '1'}])
  expect(result.json<any>().conflicts[0].reason).toRead()
  expect(await titles(top)).toEqual(['made.txt', 'new.txt'])
})

describe('reports a conflict and leaves alone', () => {
  /** A plan that renames a file and another one; `change` is done to the first in between. */
  async function renameAfter(change: (id: string) => Promise<unknown>, more: object = {}) {
    const [id, other] = [await world.make('a.txt', top, 'a'), await world.make('b.txt', top, 'b')]
    const {etag} = await get(id)
    const path = `/top ${count}/a.txt`
    const file = plan([
      rename(id, 'new.txt', {etag, path, label: 'a.txt', ...more}),
      rename(other, 'done.txt'),
    ])
    await change(id)
    const result = await apply(file, '--json')
    expect((await get(other)).title).toBe('done.txt')
    return {id, file, result, problems: (result.stdout ? result.json<any>() : {}).conflicts}
  }

  test.each<[string, (id: string) => Promise<unknown>]>([
    ['changed', id => world.drv('files patch', id, '--description', 'by somebody')],
    ['renamed', id => world.drv('files patch', id, '--title', 'other.txt')],
    ['in the trash', id => world.drv('files trash', id)],
    ['gone', id => world.drv('files delete', id, '--yes')],
    ['moved', async id => world.run('mv', [id, `/top ${count}/sub/`, '--json'])],
  ])('an item that is %s', async (how, change) => {
    if (how === 'moved') await world.make('sub', top)
    const {result, problems} = await renameAfter(change)
    expect(result.code).toBe(12)
    expect(problems).toMatchObject([{key: '1', label: 'a.txt', isConflict: true}])
    expect(problems[0].reason.replace(/top \d+/, 'top')).toRead()
    expect(await titles(top)).not.toContain('new.txt')
  })

  test('an item of a service without ETags', async () => {
    const {result} = await renameAfter(id => world.drv('files patch', id, '--description', 'x'), {
      etag: undefined,
      found: {version: '1'},
    })
    expect(result.code).toBe(12)
    const id = await world.make('same.txt', top, 'a')
    const {version} = await get(id)
    expect(await apply(plan([rename(id, 'new.txt', {found: {version}})]))).toMatchObject({code: 0})
  })

  test.each([
    ['changed', (path: string) => writeFileSync(path, 'other')],
    ['of the same size', (path: string) => writeFileSync(path, 'B')],
    ['missing', (path: string) => rmSync(path)],
  ])('a local file that is %s', async (_, change) => {
    const [one, two] = await ids(2)
    const file = plan([upload(one!, 'a.txt', 'a', top), upload(two!, 'b.txt', 'b', top)])
    change(join(local, 'a.txt'))
    const result = await apply(file)
    expect(result.code).toBe(12)
    expect(notices(result.stderr)).toRead()
    expect(await titles(top)).toEqual(['b.txt'])
  })

  test('content that was replaced, and a download whose file is another one', async () => {
    const id = await world.make('a.txt', top, 'a')
    const {etag} = await get(id)
    localFile('mine.txt', 'mine')
    const file = plan([
      {
        operation: 'files.update',
        params: {fileId: id},
        body: {},
        etag,
        local: localFile('a.txt', 'new'),
      },
      {
        operation: 'files.get',
        params: {fileId: id},
        output: {path: 'x.txt', overwrite: false, size: 1, md5: md5('a')},
      },
      {operation: 'files.get', params: {fileId: id}, output: {path: 'mine.txt', overwrite: false}},
    ])
    const theirs = join(world.folder, 'theirs')
    writeFileSync(theirs, 'theirs')
    await world.drv('files update', id, theirs)
    const result = await apply(file, '--json')
    expect(result.code).toBe(12)
    expect(result.json<any>().conflicts.map(({reason}: any) => reason)).toMatchObject(
      [{}, {}, {}].map(() => expect.any(String)),
    )
    expect((await get(id)).md5Checksum).toBe(md5('theirs'))
    expect(existsSync(join(local, 'x.txt'))).toBe(false)
    expect(readFileSync(join(local, 'mine.txt'), 'utf8')).toBe('mine')
  })

  test('a step that depends on it is skipped, which is no conflict', async () => {
    const id = await world.make('a.txt', top, 'a')
    const {etag} = await get(id)
    await world.drv('files patch', id, '--description', 'x')
    const result = await apply(
      plan([rename(id, 'b.txt', {etag}), rename(id, 'c.txt', {after: ['1']})]),
    )
    expect(result.code).toBe(9)
    expect(notices(result.stderr)).toRead()
    expect(await titles(top)).toEqual(['a.txt'])
  })
})

describe('refuses', () => {
  const refused = async (file: string, ...flags: string[]) => {
    const result = await world.run('apply', [file, ...flags])
    return {
      code: result.code,
      text: result.stderr
        .replaceAll(world.folder, '/tmp')
        .replaceAll(local, '/tmp')
        .replaceAll(world.url, 'URL')
        .replace(/plan \d+/, 'plan'),
    }
  }

  test('to go on without confirmation', async () => {
    const id = await world.make('a.txt', top, 'a')
    const {code, text} = await refused(plan([rename(id, 'b.txt')], {root: null}))
    expect(code).toBe(2)
    expect(text).toRead()
    expect(await titles(top)).toEqual(['a.txt'])
  })

  test.each<[string, object]>([
    ['a plan of another service', {service: 'https://drive.example.com'}],
    ['a plan of the local service', {service: 'local'}],
    ['a plan of another account', {account: {id: '123', login: 'ada@example.com'}}],
  ])('%s', async (_, head) => {
    const id = await world.make('a.txt', top, 'a')
    const {code, text} = await refused(plan([rename(id, 'b.txt')], head), '--yes')
    expect(code).toBe(2)
    expect(text).toRead()
    expect(await titles(top)).toEqual(['a.txt'])
  })

  test('a plan with a mistake in its last step, before the first', async () => {
    const id = await world.make('a.txt', top, 'a')
    const {code, text} = await refused(
      plan([rename(id, 'b.txt'), rename('../about', 'c.txt')]),
      '--yes',
    )
    expect(code).toBe(2)
    expect(text).toRead()
    expect(await titles(top)).toEqual(['a.txt'])
  })

  test('a link in place of the plan, and a checkpoint of another plan', async () => {
    const id = await world.make('a.txt', top, 'a')
    const file = plan([rename(id, 'b.txt')])
    const link = join(local, 'link')
    symlinkSync(file, link)
    expect(await refused(link, '--yes')).toMatchObject({code: 2})
    writeFileSync(`${file}.done`, '{"checkpoint":{"plan":"another"}}\n')
    const {code, text} = await refused(file, '--yes', '--checkpoint', `${file}.done`)
    expect([code, await titles(top)]).toEqual([2, ['a.txt']])
    expect(text).toRead()
  })

  test('hostile plans without a single request', async () => {
    const id = await world.make('a.txt', top, 'a')
    const proxy = await startChangeProxy(world.url)
    const env = {DRV_BASE_URL: proxy.url, DRV_AUTH_URL: proxy.url}
    const secret = {path: '../../etc/passwd', size: 1, md5: md5('x')}
    const hostile = [
      [rename(id, 'b.txt'), {operation: 'files.explode', params: {}}],
      [rename(id, 'b.txt'), rename('trash', 'c.txt')],
      [rename(id, 'b.txt'), {operation: 'files.insert', params: {}, body: {}, local: secret}],
      [rename(id, 'b.txt'), rename(id, 'c.txt', {after: ['9']})],
      [rename(id, 'b.txt', {etag: '"a"\r\nauthorization: x'})],
    ]
    for (const steps of hostile) {
      const file = plan(steps, {service: proxy.url})
      const told = new Set<string>()
      for (const command of ['apply', 'plan show', 'plan status']) {
        const flags = command === 'apply' ? ['--yes'] : []
        const result = await world.run(command, [file, ...flags], {env})
        expect(result).toMatchObject({code: 2, stdout: ''})
        told.add(result.stderr)
      }
      expect([...told].join('').replaceAll(file, '/tmp/a.plan')).toRead()
    }
    expect(proxy.requests).toEqual([])
  })

  test('in read-only mode', async () => {
    const id = await world.make('a.txt', top, 'a')
    expect(await refused(plan([rename(id, 'b.txt')]), '--yes', '--read-only')).toMatchObject({
      code: 13,
    })
  })
})

test('--dry-run shows what would be done, and what has changed', async () => {
  const [id, other] = [await world.make('a.txt', top, 'a'), await world.make('b.txt', top, 'b')]
  const file = plan([
    rename(id, 'c.txt', {etag: (await get(id)).etag, label: 'a.txt'}),
    rename(other, 'd.txt', {etag: (await get(other)).etag, label: 'b.txt'}),
  ])
  await world.drv('files patch', id, '--description', 'x')
  const result = await world.run('apply', [file, '--dry-run'])
  expect(result).toMatchObject({code: 0})
  expect(result.stdout).toRead()
  expect(await titles(top)).toEqual(['a.txt', 'b.txt'])
  expect(existsSync(`${file}.done`)).toBe(false)
})

describe('plan show', () => {
  test('prints steps in any format', async () => {
    const {file} = await mixedPlan()
    const table = await world.run('plan show', [file])
    expect(table.code).toBe(0)
    expect(table.stdout.replaceAll(/top \d+/g, 'top')).toRead()
    expect(table.stderr.replaceAll(world.url, 'URL')).toRead()
    const steps = (await world.run('plan show', [file, '--json'])).json<any[]>()
    expect(steps.map(({key, action}) => [key, action])).toEqual([
      ['1', 'folder'],
      ['2', 'upload'],
      ['3', 'upload'],
      ['4', 'rename'],
      ['5', 'trash'],
    ])
    expect(steps[1]).toMatchObject({after: ['1'], local: {md5: md5('a {}')}})
  })

  test('a plan cannot print messages or control characters of its own', async () => {
    const id = await world.make('a.txt', top, 'a')
    const command = 'drv ls\nNothing to apply.\u001b[2J'
    const file = plan([rename(id, 'b.txt', {label: 'a\n\u001b[31mb'})], {command})
    for (const line of [
      ['plan show', file],
      ['apply', file],
      ['apply', file, '--dry-run'],
    ]) {
      const {stderr} = await world.run(line[0]!, line.slice(1))
      expect(stderr).not.toMatch(/\u001b|^Nothing/m)
    }
  })

  test('an empty plan', async () => {
    const applied = await apply(plan([]))
    expect(applied.code).toBe(0)
    expect(applied.stderr).toRead()
    expect(await world.run('plan show', [plan([])])).toMatchObject({code: 0, stdout: ''})
  })

  test('--diff prints fields before and after', async () => {
    const {file} = await mixedPlan()
    const rows = (await world.run('plan show', [file, '--diff', '--json'])).json<any[]>()
    const fields = rows.filter(({field}) => !['id', 'parents'].includes(field))
    expect(fields.map(({key, field, before, after}) => [key, field, before, after])).toEqual([
      ['1', 'title', undefined, 'css'],
      ['1', 'mimeType', undefined, FOLDER_TYPE],
      ['2', 'title', undefined, 'a.css'],
      ['2', 'fileSize', undefined, 4],
      ['2', 'md5Checksum', undefined, md5('a {}')],
      ['3', 'title', undefined, 'index.html'],
      ['3', 'fileSize', undefined, 3],
      ['3', 'md5Checksum', undefined, md5('<p>')],
      ['4', 'title', 'old.txt', 'new.txt'],
      ['5', 'labels.trashed', false, true],
    ])
  })
})

describe('plan status', () => {
  test('before, in between and at the end', async () => {
    const {file} = await mixedPlan()
    const status = async (...checkpoints: string[]) =>
      (await world.run('plan status', [file, ...checkpoints, '--json'])).json<any[]>()
    expect(await status()).toEqual([
      {part: 'all', steps: 5, done: 0, conflicts: 0, failed: 0, left: 5},
    ])
    writeFileSync(join(local, 'index.html'), 'other')
    expect(await apply(file, '--shard', '1/2')).toMatchObject({code: 9})
    expect(await status()).toEqual([
      {part: '1/2', steps: 3, done: 1, conflicts: 1, failed: 1, left: 0},
      {part: '2/2', steps: 2, done: 0, conflicts: 0, failed: 0, left: 2},
      {part: 'all', steps: 5, done: 1, conflicts: 1, failed: 1, left: 2},
    ])
    localFile('index.html', '<p>')
    expect(await apply(file, '--shard', '2/2')).toMatchObject({code: 0})
    expect(await apply(file, '--shard', '1/2')).toMatchObject({code: 0})
    expect((await status()).at(-1)).toMatchObject({done: 5, left: 0})
    const named = [1, 2].map(index => `${file}.${index}-of-2.done`)
    expect((await status(...named)).at(-1)).toMatchObject({done: 5, left: 0})
    expect(await world.run('plan status', [file, 'missing'])).toMatchObject({code: 2})
  })
})
