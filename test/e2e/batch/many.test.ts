import {mkdirSync, readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {runHere} from '../../support/here.js'
import {missingTerminal, startAtTerminal} from '../../support/terminal.js'
import {startWorld, type World} from '../../support/world.js'

let world: World
beforeAll(async () => {
  world = await startWorld({}, runHere)
})
afterAll(() => world.close())

/** Runs a command and counts its requests with `--verbose`. */
async function counted(command: string, args: readonly string[], input = '') {
  const result = await world.run(command, [...args, '--verbose'], {input})
  const requests = result.stderr.match(/^(GET|POST|PUT|PATCH|DELETE) http/gm) ?? []
  return {...result, requests: requests.length}
}

/** Creates files with one command, and returns their IDs in order. */
async function many(count: number, name: string, parent = 'root'): Promise<string[]> {
  const lines = Array.from({length: count}, (_, n) => JSON.stringify({title: `${name} ${n}`}))
  const file = world.file(`${name}.ndjson`, lines.join('\n'))
  const args = ['--from', file, '--parent', parent, '--format', 'ids']
  const {stdout, stderr, code} = await world.run('files insert', args)
  expect(code, stderr).toBe(0)
  return stdout.trimEnd().split('\n')
}

const isTrashed = async (id: string): Promise<boolean> =>
  (await world.drv('files get', id)).labels.trashed

describe('several arguments', () => {
  test('may be IDs, paths and links, with one row each in their order', async () => {
    const folder = await world.make('Mixed', 'root')
    const ids = []
    for (const title of ['a', 'b', 'c']) ids.push(await world.make(title, folder, title))
    const link = `https://drive.example.com/file/d/${ids[2]}/view`
    const result = await world.run('files trash', [ids[1]!, '/Mixed/a', link])
    expect(result).toMatchObject({code: 0})
    const titles = result.stdout
      .trimEnd()
      .split('\n')
      .map(line => line.split('\t')[1])
    expect(titles).toEqual(['b', 'a', 'c'])
    expect(result.stderr).toRead()
    for (const id of ids) expect(await isTrashed(id)).toBe(true)
  })

  test.each([
    ['json', (text: string) => JSON.parse(text)],
    [
      'ndjson',
      (text: string) =>
        text
          .trimEnd()
          .split('\n')
          .map(line => JSON.parse(line)),
    ],
  ])('with %s, each has its input', async (format, read) => {
    const id = await world.make(`for ${format}`, 'root', 'x')
    const missing = 'A'.repeat(33)
    const result = await world.run('files get', [id, missing, '/no such', '--format', format])
    expect(result.code).toBe(9)
    const [first, second, third] = read(result.stdout)
    expect(first).toMatchObject({input: id, result: {id}})
    expect(second).toMatchObject({input: missing, error: {exit: 5}})
    expect(third).toMatchObject({input: '/no such', error: {exit: 5}})
    if (format === 'json') {
      // Standard error is a single document.
      const {error, notices} = JSON.parse(result.stderr)
      expect(error).toMatchObject({exit: 9})
      expect(notices).toHaveLength(1)
      expect(notices[0]).toRead()
      return
    }
    const [summary = '', ...told] = result.stderr.split('\n')
    expect(summary).toRead()
    expect(JSON.parse(told.join('\n')).error).toMatchObject({exit: 9})
  })

  test('as csv, tsv, table and with --jq', async () => {
    const [one, two] = await many(2, 'formats')
    const run = async (...args: string[]) =>
      (await world.run('files get', [one!, two!, ...args])).stdout
    expect(await run('--format', 'csv', '--fields', 'id,title')).toMatch(
      new RegExp(`^id,title\\r?\\n${one},formats 0\\r?\\n${two},formats 1\\r?\\n$`),
    )
    expect(await run('--fields', 'id,title')).toBe(`${one}\tformats 0\n${two}\tformats 1\n`)
    expect(await run('--format', 'table', '--fields', 'id,title')).toMatch(/title/i)
    expect(await run('--jq', '.[].result.title')).toBe('formats 0\nformats 1\n')
    expect(await run('--format', 'ids')).toBe(`${one}\n${two}\n`)
  })

  test('each failure is a line with its input and reason, and failures are counted', async () => {
    const [id] = await many(1, 'alive')
    const result = await world.run('files trash', ['/gone', id!, 'B'.repeat(33)])
    expect(result.code).toBe(9)
    const lines = result.stderr.trimEnd().split('\n')
    expect(lines[0]).toRead()
    expect(lines[1]).toMatch(/^Failed: B{33}: /)
    expect(lines[2]).toRead()
    expect(lines[3]).toRead()
    expect(await isTrashed(id!)).toBe(true)
  })

  test('a single one keeps its own exit code', async () => {
    const one = await world.run('files trash', ['C'.repeat(33)])
    expect(one.code).toBe(5)
    const [id] = await many(1, 'alone')
    expect((await world.run('files get', [id!, '--json'])).json()).toMatchObject({id})
  })

  test('--fail-fast stops at the first failure, and --concurrency 1 runs one by one', async () => {
    const ids = await many(3, 'fast')
    const args = ['/gone', ...ids, '--fail-fast', '--concurrency', '1']
    const result = await world.run('files trash', args)
    expect(result.code).toBe(9)
    expect(result.stderr).toRead()
    expect((await world.run('files trash', [...ids, '--concurrency', '0'])).code).toBe(2)
    expect(await counted('files trash', [...ids, '--concurrency', '1'])).toMatchObject({code: 0})
  })

  test('may be permissions of one file, changed one after the other or together', async () => {
    const file = await world.make('shared', 'root', 'x')
    const [other] = await many(1, 'shared too')
    const share = ['--role', 'reader', '--type', 'user', '--no-send-notification-emails']
    const made = await world.run('permissions insert', [
      ...[file, other!, '/shared'],
      ...[...share, '--value', 'ann@example.com'],
    ])
    expect(made.stderr).toMatch(/^3 done/)
    await world.drv('permissions insert', file, ...share, '--value', 'bob@example.com')
    const emails = ['ann@example.com', 'bob@example.com']
    const gone = await world.run('permissions delete', [file, ...emails, '--yes'])
    expect(gone, gone.stderr).toMatchObject({code: 0, stdout: ''})
    const left = (await world.drv('permissions list', file)).items
    expect(left.map(({role}: {role: string}) => role)).toEqual(['owner'])
  })
})

describe('local files', () => {
  test('are uploaded concurrently, and downloaded into a directory', async () => {
    const folder = await world.make('Content', 'root')
    const paths = ['one', 'two', 'three'].map(name => world.file(`${name}.txt`, name))
    const up = await world.run('files insert', [...paths, '--parent', folder, '--format', 'ids'])
    expect(up.code, up.stderr).toBe(0)
    const ids = up.stdout.trimEnd().split('\n')
    const titles = await Promise.all(ids.map(async id => (await world.drv('files get', id)).title))
    expect(titles).toEqual(['one.txt', 'two.txt', 'three.txt'])
    const none = await counted('files get', [...ids, '-o', join(world.folder, 'none')])
    expect(none).toMatchObject({code: 2, requests: 0})
    expect((await world.run('files get', [...ids, '-o', '-'])).code).toBe(2)
    const target = join(world.folder, 'down')
    mkdirSync(target)
    const down = await world.run('files get', [...ids, '-o', target])
    expect(down.code, down.stderr).toBe(0)
    expect(readdirSync(target).sort()).toEqual(['one.txt', 'three.txt', 'two.txt'])
    expect(readFileSync(join(target, 'two.txt'), 'utf8')).toBe('two')
  })

  test('that are uploaded leave no journal entries, even if another one failed', async () => {
    const path = world.file('went.txt', 'went up')
    expect((await world.run('files insert', [path, '/nowhere'])).code).toBe(9)
    expect(await world.drv('transfers list')).toEqual([])
  })

  test('with the same title never replace each other', async () => {
    const ids = []
    for (const text of ['first', 'second', 'third']) {
      ids.push(await world.make('same.txt', 'root', text))
    }
    const target = join(world.folder, 'same')
    mkdirSync(target)
    const result = await world.run('files get', [...ids, '-o', target])
    expect(result.code).toBe(9)
    expect(result.stderr).toRead()
    expect(readdirSync(target)).toEqual(['same.txt'])
    const forced = await world.run('files get', [...ids, '-o', target, '--force'])
    expect(forced.code).toBe(9)
    expect(forced.stderr).toRead()
    const renamed = await world.run('files get', [
      ...[...ids, '-o', target],
      ...['--if-exists', 'rename'],
    ])
    expect(renamed.code, renamed.stderr).toBe(0)
    const texts = readdirSync(target).map(name => readFileSync(join(target, name), 'utf8'))
    expect(new Set(texts)).toEqual(new Set(['first', 'second', 'third']))
    expect(texts).toHaveLength(4)
  })

  test('files update accepts one file and one path', async () => {
    const result = await counted('files update', ['A'.repeat(33), 'a.txt', 'b.txt'])
    expect(result).toMatchObject({code: 2, requests: 0})
  })
})

describe('lines of standard input', () => {
  test('may be IDs, paths, links and records, with any line ends and blank lines', async () => {
    const folder = await world.make('Lines', 'root')
    const ids = []
    for (const title of ['a', 'b', 'c', 'd', 'ä b'])
      ids.push(await world.make(title, folder, title))
    const input = [
      `${ids[0]}`,
      '',
      '/Lines/b',
      `https://drive.example.com/file/d/${ids[2]}/view`,
      '   ',
      JSON.stringify({kind: 'drive#file', id: ids[3], title: '/Lines/other'}),
      JSON.stringify({path: '/Lines/ä b'}),
    ].join('\r\n')
    const result = await world.run('files trash', ['-', '--format', 'ids'], {input})
    expect(result, result.stderr).toMatchObject({code: 0, stdout: `${ids.join('\n')}\n`})
  })

  test.each(['', '\n\r\n  \n'])('empty input (%j) succeeds and sends nothing', async input => {
    expect(await counted('files trash', ['-', '--json'], input)).toMatchObject({
      code: 0,
      stdout: '[]\n',
      requests: 0,
    })
    expect(await world.run('files trash', ['-'], {input})).toMatchObject({
      code: 0,
      stdout: '',
      stderr: '',
    })
  })

  test('are combined with arguments', async () => {
    const [one, two, three] = await many(3, 'between')
    const result = await world.run('files get', [one!, '-', three!, '--format', 'ids'], {
      input: `${two}\n`,
    })
    expect(result.stdout).toBe(`${one}\n${two}\n${three}\n`)
  })

  test('without a valid name fail on their own', async () => {
    const [id] = await many(1, 'kinds')
    const input = [
      JSON.stringify({kind: 'drive#permission', id}),
      JSON.stringify({title: 'x'}),
      id,
    ].join('\n')
    const result = await world.run('files trash', ['-'], {input})
    expect(result.code).toBe(9)
    expect(result.stderr).toRead()
    expect(await isTrashed(id!)).toBe(true)
  })

  test('that form one JSON document end the command before anything is sent', async () => {
    const [id] = await many(1, 'pretty')
    const document = {items: [{id}]}
    for (const input of [JSON.stringify(document, undefined, 2), JSON.stringify([{id}])]) {
      const result = await counted('files trash', ['-'], input)
      expect(result, result.stderr).toMatchObject({code: 2, requests: 0})
      expect(result.stderr).toRead()
    }
  })

  test('can be read only once', async () => {
    for (const args of [
      ['-', '-'],
      ['-', '--from', '-'],
    ]) {
      expect(await counted('files trash', args)).toMatchObject({code: 2, requests: 0})
    }
    const body = ['-', '--body', '-', '--role', 'reader', '--type', 'anyone']
    expect(await counted('permissions insert', body)).toMatchObject({code: 2, requests: 0})
  })

  test('come from a list, as in other tools', async () => {
    const ids = await many(7, 'obsolete')
    const list = await world.run('files list', [
      ...['--q', "title contains 'obsolete'"],
      ...['--all', '--format', 'ids'],
    ])
    const result = await counted('files trash', ['-'], list.stdout)
    expect(result).toMatchObject({code: 0})
    for (const id of ids) expect(await isTrashed(id)).toBe(true)
  })
})

describe('number of requests', () => {
  test('for 300 items by ID, 200 by ID, and 300 by path', async () => {
    const folder = await world.make('Hundreds', 'root')
    const ids = await many(300, 'one', folder)
    const paths = ids.map((_, n) => `/Hundreds/one ${n}`)
    const byPath = await counted('files trash', ['-'], paths.join('\n'))
    expect(byPath.code, byPath.stderr).toBe(0)
    expect(byPath.requests).toBeLessThanOrEqual(8)
    await expect(world.children(folder)).resolves.toEqual([])
    const some = await counted('files untrash', ids.slice(0, 200))
    expect(some.requests).toBeLessThanOrEqual(4)
    await expect(world.children(folder)).resolves.toHaveLength(200)
    const all = await counted('files trash', ['-'], ids.join('\n'))
    expect(all.code, all.stderr).toBe(0)
    expect(all.requests).toBeLessThanOrEqual(5)
    await expect(world.children(folder)).resolves.toEqual([])
  })
})

describe('permanent deletion of several items', () => {
  test('is refused without --yes, before anything is sent', async () => {
    const ids = await many(3, 'kept')
    const words = await counted('files delete', ids)
    expect(words).toMatchObject({code: 2, requests: 0})
    expect(words.stderr).toContain('--yes')
    const input = await counted('files delete', ['-'], `${ids.join('\n')}\ny\n`)
    expect(input).toMatchObject({code: 2, requests: 0})
    expect(input.stderr).toContain('--yes')
    expect(await counted('files delete', ['-', '--yes'], ids.join('\n'))).toMatchObject({code: 0})
    expect((await world.run('files get', [ids[0]!])).code).toBe(5)
  })

  test.skipIf(missingTerminal !== undefined)('a terminal asks once, with the count', async () => {
    const ids = await many(3, 'asked')
    const no = startAtTerminal(['files', 'delete', ...ids], {env: world.env})
    await no.shows(/permanently delete 3 items[^:]*: asked 0, asked 1, asked 2/)
    await no.shows(/\(y\/N\)/)
    no.type('n\r')
    expect(await no.ended).toBe(130)
    const yes = startAtTerminal(['files', 'delete', ...ids], {env: world.env})
    await yes.shows(/\(y\/N\)/)
    yes.type('y\r')
    expect(await yes.ended).toBe(0)
    expect(yes.output().match(/will permanently delete 3 items/g)).toHaveLength(1)
    expect(yes.output()).toContain('Deleted 3 items')
    expect(await counted('files get', ids)).toMatchObject({code: 9})
  })
})
