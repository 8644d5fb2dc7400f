import {existsSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {runHere} from '../../support/here.js'
import {type Received, type Reply, startRecorder} from '../../support/recorder.js'
import {serve} from '../../support/serve.js'
import {startWorld, type World} from '../../support/world.js'

let world: World
beforeAll(async () => {
  world = await startWorld({}, runHere)
})
afterAll(() => world.close())

const titles = async (folder: string) =>
  (await world.children(folder)).map(({title}) => title as string).sort()

describe('--from', () => {
  test.each([
    [
      'csv',
      '\uFEFFtitle,description,labels.starred\r\n"a, ""b""",,true\r\n\r\nc,"two\nlines",\r\n',
    ],
    ['tsv', 'title\tdescription\tlabels.starred\na, "b"\t\ttrue\nc\ttwo\\nlines\t\n'],
    [
      'ndjson',
      '{"title": "a, \\"b\\"", "labels": {"starred": true}}\n\n{"title": "c", "description": "two\\nlines"}',
    ],
  ])('a %s file sets arguments, flags and fields', async (kind, text) => {
    const folder = await world.make(`From ${kind}`, 'root')
    const file = world.file(`records.${kind}`, text)
    const args = ['--from', file, '--parent', folder, '--json']
    const result = await world.run('files insert', args)
    expect(result.code, result.stderr).toBe(0)
    const [first, second] = result.json<any[]>()
    expect(first.result).toMatchObject({title: 'a, "b"', labels: {starred: true}})
    expect(first.result.description ?? '').toBe('')
    expect(second.result).toMatchObject({title: 'c', labels: {starred: false}})
    expect(second.input).toMatchObject({title: 'c'})
    expect(await titles(folder)).toEqual(['a, "b"', 'c'])
    const input = await world.run('files insert', ['--from', '-', '--parent', folder], {
      input: text,
    })
    expect(input.code, input.stderr).toBe(0)
    expect(await titles(folder)).toHaveLength(4)
  })

  test('sets arguments, and flags of the command line apply to all records', async () => {
    const ids = [await world.make('r1', 'root', 'x'), await world.make('r2', 'root', 'x')]
    const rows = ids.map((id, n) => `${id},new ${n},from the row`).join('\n')
    const file = world.file('rename.csv', `id,title,description\n${rows}\n`)
    await world.drv('files patch', '--from', file, '--description', 'for all')
    for (const [n, id] of ids.entries()) {
      expect(await world.drv('files get', id)).toMatchObject({
        title: `new ${n}`,
        description: 'for all',
      })
    }
  })

  test('sets local files: files update with a path each', async () => {
    const ids = [await world.make('u1', 'root', 'x'), await world.make('u2', 'root', 'x')]
    const rows = ids.map((id, n) => `${id}\t${world.file(`u${n}.txt`, `content ${n}`)}`)
    const file = world.file('update.tsv', `fileId\tpath\n${rows.join('\n')}\n`)
    const result = await world.run('files update', ['--from', file])
    expect(result.code, result.stderr).toBe(0)
    for (const [n, id] of ids.entries()) {
      expect((await world.run('files get', [id, '-o', '-'])).stdout).toBe(`content ${n}`)
    }
  })

  test.each([
    ['unknown.csv', 'id,titel\nA,b\n', /"titel".*\n.*title/],
    ['unknown.ndjson', '{"id": "A"}\n{"id": "B", "titel": "b"}\n', /record 2.*"titel"/],
    ['broken.csv', 'id,title\nA,b\nB\n', /broken\.csv.* line 3/],
    ['broken.ndjson', '{"id": "A"}\n{"id": \n', /record 2: .*JSON/],
    ['pretty.json', '[\n  {\n    "id": "A"\n  }\n]\n', /--format ndjson/],
    ['latin.csv', Buffer.from('id,title\nA,\xfcber\n', 'latin1'), /latin\.csv.*UTF-8/],
    ['wide.csv', Buffer.from('\uFEFFid,title\nA,b\n', 'utf16le'), /UTF-8/],
    ['twice.csv', 'id,id\nA,B\n', /duplicate column "id"/],
    ['value.csv', 'id,labels.starred\nA,perhaps\n', /line 2.*"labels.starred"/],
  ])('%s is rejected before anything is sent', async (name, text, words) => {
    const file = world.file(name, text)
    const result = await world.run('files patch', ['--from', file, '--verbose'])
    expect(result.code, result.stderr).toBe(2)
    expect(result.stderr).toMatch(words)
    expect(result.stderr).toContain('0 requests')
  })

  test('is read record by record from standard input: invalid records fail on their own', async () => {
    const folder = await world.make('By itself', 'root')
    const input = '{"title": "a"}\n{"titel": "b"}\nnonsense\n{"title": "c"}\n'
    const result = await world.run('files insert', ['--from', '-', '--parent', folder], {input})
    expect(result.code).toBe(9)
    expect(result.stderr).toRead()
    expect(await titles(folder)).toEqual(['a', 'c'])
  })

  test('without records does nothing', async () => {
    for (const text of ['', '\n', 'title\n']) {
      const result = await world.run('files insert', ['--from', world.file('none.csv', text)])
      expect(result).toMatchObject({code: 0, stdout: '', stderr: ''})
    }
  })

  test('accepts a list of another program, and sends nothing with --dry-run', async () => {
    const file = world.file('dry.csv', 'title\na\nb\n')
    const result = await world.run('files insert', ['--from', file, '--dry-run', '--verbose'])
    expect(result.stdout.match(/^POST /gm)).toHaveLength(2)
    expect(result.stderr).toContain('0 requests')
  })
})

/** Rewrites a checkpoint as a kill leaves it: steps are marked as sent, not as done, and a line is incomplete. */
function forgetWhatIsDone(checkpoint: string): void {
  const notes = readFileSync(checkpoint, 'utf8').split('\n')
  writeFileSync(checkpoint, `${notes.filter(note => !note.includes('"done"')).join('\n')}{"do`)
}

describe('--checkpoint', () => {
  test('a rerun sends only the steps that are not done', async () => {
    const folder = await world.make('Rest', 'root')
    for (const title of ['a', 'c']) await world.make(title, folder, title)
    const checkpoint = join(world.folder, 'rest.checkpoint')
    const args = ['/Rest/a', '/Rest/b', '/Rest/c', '--checkpoint', checkpoint, '--verbose']
    const first = await world.run('files trash', args)
    expect(first.code).toBe(9)
    expect(first.stderr).toRead()
    await world.make('b', folder, 'b')
    const second = await world.run('files trash', args)
    expect(second.code, second.stderr).toBe(0)
    expect(second.stderr).toRead()
    expect(await titles(folder)).toEqual([])
    const third = await world.run('files trash', args)
    expect(third.stderr).toMatch(/^0 requests/m)
    expect(third.code).toBe(0)
  })

  test('nothing is created twice, and equal inputs stay separate steps', async () => {
    const folder = await world.make('Twice', 'root')
    const file = world.file('twice.ndjson', '{"title": "a"}\n{"title": "a"}\n{"title": "b"}\n')
    const checkpoint = join(world.folder, 'twice.checkpoint')
    const args = ['--from', file, '--parent', folder, '--checkpoint', checkpoint]
    for (const _ of [1, 2]) expect((await world.run('files insert', args)).code).toBe(0)
    expect(await titles(folder)).toEqual(['a', 'a', 'b'])
    forgetWhatIsDone(checkpoint)
    const again = await world.run('files insert', args)
    expect(again.code, again.stderr).toBe(0)
    expect(await titles(folder)).toEqual(['a', 'a', 'b'])
  })

  test('nothing is copied twice, and no shared drive is created twice', async () => {
    const folder = await world.make('Copies', 'root')
    const ids = [await world.make('c1', 'root', 'x'), await world.make('c2', 'root', 'x')]
    const drives = world.file('drives.csv', 'name\nTwice once\nTwice again\n')
    for (const [name, command, ...args] of [
      ['copies', 'files copy', ...ids, '--parent', folder],
      ['drives', 'drives insert', '--from', drives],
    ] as const) {
      const checkpoint = join(world.folder, `${name}.checkpoint`)
      for (const _ of [1, 2]) {
        const result = await world.run(command, [...args, '--checkpoint', checkpoint])
        expect(result.code, result.stderr).toBe(0)
        expect(result.stderr).toRead()
        forgetWhatIsDone(checkpoint)
      }
    }
    expect(await titles(folder)).toEqual(['Copy of c1', 'Copy of c2'])
    const {items} = await world.drv('drives list', '--q', "name contains 'Twice'")
    expect(items).toHaveLength(2)
  })

  test.each([
    ['files delete', '--yes'],
    ['files trash', '--json'],
  ])('with %s, items removed by an earlier run count as done', async (command, flag) => {
    const folder = await world.make(`Gone by ${command}`, 'root')
    const id = await world.make('by ID', folder, 'x')
    await world.make('by path', folder, 'x')
    const path = `/Gone by ${command}/by path`
    const checkpoint = join(world.folder, `${command}.checkpoint`)
    const args = [id, path, flag, '--checkpoint', checkpoint]
    expect(await world.run(command, args)).toMatchObject({code: 0})
    forgetWhatIsDone(checkpoint)
    const again = await world.run(command, args)
    expect(again.code, again.stderr + again.stdout).toBe(0)
    expect(await titles(folder)).toEqual([])
  })

  test('is tied to one operation, and requires several items', async () => {
    const checkpoint = join(world.folder, 'other.checkpoint')
    await world.run('files untrash', ['-', '--checkpoint', checkpoint])
    const other = await world.run('files trash', ['A', 'B', '--checkpoint', checkpoint])
    expect(other.code).toBe(2)
    expect(other.stderr).toRead()
    expect((await world.run('files trash', ['A', '--checkpoint', checkpoint])).code).toBe(2)
    const none = world.file('none.checkpoint', 'something else')
    const refused = await world.run('files trash', ['A', 'B', '--checkpoint', none])
    expect(refused.code).toBe(2)
    expect(readFileSync(none, 'utf8')).toBe('something else')
  })
})

/** The response of a service without batches. */
function withoutBatches(status: number, ids: Set<string>) {
  return ({method, url}: Received): Reply => {
    if (url.includes('batch')) return {status, body: {error: {code: status, message: 'No.'}}}
    const id = /files\/([\w-]+)\/trash/.exec(url)?.[1]
    if (method !== 'POST' || id === undefined) return {status: 404}
    ids.add(id)
    return {body: {kind: 'drive#file', id}}
  }
}

describe('at a service', () => {
  const names = Array.from({length: 5}, (_, n) => `${n}`.repeat(33))

  test.each([404, 405])(
    'that responds to batches with %i, they are sent one by one',
    async status => {
      const trashed = new Set<string>()
      const {url, received} = await startRecorder(withoutBatches(status, trashed))
      const env = {...world.env, DRV_BASE_URL: url}
      const result = await runHere(['files', 'trash', ...names, '--format', 'ids'], {env})
      expect(result.code, result.stderr).toBe(0)
      expect(result.stdout).toBe(`${names.join('\n')}\n`)
      const batches = received.filter(({url}) => url.includes('batch')).map(({url}) => url)
      expect(batches).toHaveLength(2)
      expect(batches[1]).toMatch(/\/batch\/drive\/v2$/)
      expect(received).toHaveLength(7)
    },
  )

  test('that rejects the token, the run stops with code 4 after at most two requests', async () => {
    for (const args of [
      ['files', 'trash', ...names],
      ['files', 'trash', '/a', '/b/c', '/d'],
      ['files', 'trash', '-'],
      ['permissions', 'delete', names[0]!, 'a@example.com', 'b@example.com', '-y'],
      ['files', 'insert', '--from', world.file('refused.csv', 'title\na\nb\nc\nd\n')],
    ]) {
      const {url, received} = await startRecorder(() => ({
        status: 401,
        body: {error: {code: 401, message: 'No.', errors: [{reason: 'authError'}]}},
      }))
      const input = names.join('\n')
      const result = await runHere(args, {env: {...world.env, DRV_BASE_URL: url}, input})
      expect(result.code, args.join(' ')).toBe(4)
      expect(received.length).toBeLessThanOrEqual(2)
    }
  })

  test('without batches, they are sent one by one: a valid token works at once', async () => {
    const ids = await Promise.all(['l1', 'l2', 'l3'].map(title => world.make(title, 'root')))
    const stale = `${world.env.DRV_TOKEN}x`
    for (let count = 0; count < 3; count++) {
      const refused = await world.run('files trash', [...ids, ...names], {env: {DRV_TOKEN: stale}})
      expect(refused.code).toBe(4)
    }
    const good = await world.run('files trash', ids)
    expect(good.code, good.stderr).toBe(0)
  })

  test('permissions of one file are never changed concurrently', async () => {
    const [one = '', other = ''] = names
    const underWay = new Map<string, () => void>()
    let isProven = false
    let clashes = 0
    const {url} = await serve(({url = '', method}, response) => {
      const answer = (status = 200) =>
        response
          .writeHead(status, {'content-type': 'application/json'})
          .end('{"kind": "drive#permission", "id": "p"}')
      const id = /files\/(\w+)\/permissions/.exec(url)?.[1]
      // Reading the access before a change for the history is not a change.
      if (id === undefined || method === 'GET') return void answer(404)
      if (!isProven) {
        isProven = true
        return void answer()
      }
      if (underWay.has(id)) clashes += 1
      underWay.set(id, answer)
      // Each response waits for the other request, so changes to two files must be concurrent.
      if (underWay.size < 2) return
      const answers = [...underWay.values()]
      underWay.clear()
      for (const each of answers) each()
    })
    const rows = [one, one, other, one, other, one, other].map((id, n) => `${id},p${n}@example.com`)
    const file = world.file('people.csv', `fileId,value\n${rows.join('\n')}\n`)
    const share = ['--role', 'reader', '--type', 'user', '--from', file]
    const env = {...world.env, DRV_BASE_URL: url}
    const result = await runHere(['permissions', 'insert', ...share], {env})
    expect(result.code, result.stderr).toBe(0)
    expect(result.stderr).toMatch(/^7 done/)
    expect(clashes).toBe(0)
  })
})

test('Ctrl-C shows what was done and what was not', async () => {
  const folder = await world.make('Stopped', 'root')
  const lines = Array.from({length: 400}, (_, n) => `{"title": "stopped ${n}"}`).join('\n')
  const file = world.file('stopped.ndjson', lines)
  const checkpoint = join(world.folder, 'stopped.checkpoint')
  const args = ['--from', file, '--parent', folder, '--checkpoint', checkpoint]
  const done = () => existsSync(checkpoint) && readFileSync(checkpoint, 'utf8').includes('"done"')
  const stopped = await world.run('files insert', [...args, '--concurrency', '1'], {
    ending: {signal: 'SIGINT', when: done},
  })
  expect(stopped.code).toBe(130)
  expect(stopped.stderr).toMatch(
    /\d+ done, the state of the requests in progress is unknown, the rest not started/,
  )
  expect(stopped.stderr).toContain('Run the same command again')
  const rest = await world.run('files insert', args)
  expect(rest.code, rest.stderr).toBe(0)
  expect(new Set(await titles(folder)).size).toBe(400)
  expect(await titles(folder)).toHaveLength(400)
})
