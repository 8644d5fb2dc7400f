import {mkdirSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {runHere} from '../../support/here.js'
import {screenOf} from '../../support/screen.js'
import {missingTerminal, startAtTerminal} from '../../support/terminal.js'
import {startWorld, type World} from '../../support/world.js'

let world: World
beforeAll(async () => {
  world = await startWorld({}, runHere)
})
afterAll(() => world.close())

const titles = async (folder: string): Promise<string[]> =>
  (await world.children(folder)).map(({title}) => title as string).sort()

const textOf = async (id: string): Promise<string> =>
  (await world.run('files get', [id, '--output', '-'])).stdout

/** Runs a command and counts its requests with `--verbose`. */
async function counted(command: string, args: readonly string[], input = '') {
  const result = await world.run(command, [...args, '--verbose'], {input})
  const requests = result.stderr.match(/^(GET|POST|PUT|PATCH|DELETE) http/gm) ?? []
  return {...result, requests: requests.length}
}

/** Creates files with one command; returns their IDs in order. */
async function many(count: number, name: string, parent: string): Promise<string[]> {
  const lines = Array.from({length: count}, (_, n) => JSON.stringify({title: `${name} ${n}`}))
  const args = ['--from', world.file(`${name}.ndjson`, lines.join('\n')), '--parent', parent]
  const {stdout, stderr, code} = await world.run('files insert', [...args, '--format', 'ids'])
  expect(code, stderr).toBe(0)
  return stdout.trimEnd().split('\n')
}

describe('cat', () => {
  test('prints files one after another, by path, ID and link', async () => {
    const folder = await world.make('Cat', 'root')
    const [, two, three] = [
      await world.make('one', folder, 'first\n'),
      await world.make('two', folder, 'second\n'),
      await world.make('three', folder, 'third\n'),
    ]
    const link = `https://drive.example.com/file/d/${three}/view`
    for (const format of ['tsv', 'json', 'ids']) {
      const result = await world.run('cat', ['/Cat/one', two!, link, '--format', format])
      expect(result).toMatchObject({code: 0, stdout: 'first\nsecond\nthird\n'})
    }
    const alone = await world.run('cat', ['/Cat/two', '--json'])
    expect(alone).toMatchObject({code: 0, stdout: 'second\n', stderr: ''})
    const lines = await world.run('cat', ['-'], {input: `/Cat/two\n/Cat/one\n`})
    expect(lines).toMatchObject({code: 0, stdout: 'second\nfirst\n'})
  })

  test('exports an editor document as text, with a notice', async () => {
    const path = world.file('minutes.txt', 'Meeting notes')
    const type = 'application/vnd.google-apps.document'
    const made = await world.drv('files insert', path, '--convert', '--title', 'Minutes')
    expect(made.mimeType).toBe(type)
    const result = await world.run('cat', ['/Minutes'])
    expect(result).toMatchObject({code: 0, stderr: 'Exporting Minutes as text/plain.\n'})
    expect(result.stdout).toRead()
    const planned = await world.run('cat', ['/Minutes', '--dry-run'])
    expect(planned.stdout).toMatch(/^GET .*\/export\?mimeType=text%2Fplain/)
  })

  test('rejects a folder, and continues with the others', async () => {
    await world.make('Cat folder', 'root')
    await world.make('beside', 'root', 'text')
    const alone = await world.run('cat', ['/Cat folder'])
    expect(alone).toMatchObject({code: 2, stdout: ''})
    expect(alone.stderr).toRead()
    const result = await world.run('cat', ['/Cat folder', '/beside', '/none'])
    expect(result).toMatchObject({code: 9, stdout: 'text'})
    expect((await world.run('cat', ['/none'])).code).toBe(5)
  })
})

describe('mkdir', () => {
  test('requires the parent folder and an unused name', async () => {
    const made = await world.drv('mkdir', '/Made')
    expect(made).toMatchObject({title: 'Made', mimeType: 'application/vnd.google-apps.folder'})
    expect(await world.run('mkdir', ['/Made'])).toMatchObject({code: 12, stdout: ''})
    const deep = await world.run('mkdir', ['/Made/a/b'])
    expect(deep).toMatchObject({code: 5, stdout: ''})
    expect(deep.stderr).toContain('-p')
    expect(await titles(made.id)).toEqual([])
    await world.make('file', made.id, 'x')
    expect((await world.run('mkdir', ['-p', '/Made/file'])).code).toBe(12)
    expect((await world.run('mkdir', ['-p', '/Made/file/below'])).code).toBe(1)
    for (const word of ['Made', 'trash:/x']) expect((await world.run('mkdir', [word])).code).toBe(2)
  })

  test('-p creates all levels once, and returns the ID of an existing folder', async () => {
    const first = await world.run('mkdir', ['-p', '/Deep/2026/May', '--format', 'ids'])
    expect(first.code, first.stderr).toBe(0)
    const again = await world.run('mkdir', ['-p', '/Deep/2026/May', '--format', 'ids'])
    expect(again).toMatchObject({code: 0, stdout: first.stdout})
    const {id} = await world.drv('files get', '/Deep/2026')
    expect(await titles(id)).toEqual(['May'])
    expect((await world.drv('mkdir', '-p', '/Deep/2026/June')).title).toBe('June')
  })

  test('creates several, nested ones too, each once, also from lines', async () => {
    const words = ['/Several', '/Several/a', '/Several/a/b', '/Several']
    const result = await world.run('mkdir', [...words, '--format', 'ndjson'])
    expect(result.code).toBe(9)
    const lines = result.stdout
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(lines.map(({input}) => input)).toEqual(words)
    expect(lines[2].result.title).toBe('b')
    expect(lines[3].error.exit).toBe(12)
    const input = '/Several/c\n/Several/d\n'
    expect((await world.run('mkdir', ['-'], {input})).code).toBe(0)
    expect(await titles((await world.drv('files get', '/Several')).id)).toEqual(['a', 'c', 'd'])
    const list = world.file('folders.csv', 'path\n/Several/e\n')
    expect((await world.run('mkdir', ['--from', list])).code).toBe(0)
  })

  test('works in a shared drive, shows its requests, and respects read-only mode', async () => {
    await world.drv('drives insert', '--name', 'Team', '--request-id', 'team')
    const made = await world.drv('mkdir', '-p', 'drive:Team/x/y')
    expect(made.driveId).toBeDefined()
    const planned = await world.run('mkdir', ['-p', '/Planned/a', '--dry-run'])
    expect(planned.stdout).toRead()
    const requests = await world.run('mkdir', ['-p', '/Planned/a', '--dry-run', '--verbose'])
    expect(requests.stdout.match(/^POST /gm)).toHaveLength(2)
    expect((await world.run('files get', ['/Planned'])).code).toBe(5)
    const refused = await world.run('mkdir', ['/Planned', '--read-only'])
    expect(refused).toMatchObject({code: 13})
    expect(refused.stderr).toRead()
  })

  test('two hundred folders take a handful of requests', async () => {
    const words = Array.from({length: 200}, (_, n) => `/Wide/${n}`)
    const result = await counted('mkdir', ['-p', '-', '--quiet'], `/Wide\n${words.join('\n')}`)
    expect(result.code, result.stderr).toBe(0)
    const {id} = await world.drv('files get', '/Wide')
    expect(await titles(id)).toHaveLength(200)
    expect(result.requests).toBeLessThanOrEqual(14)
  })
})

describe('mv', () => {
  test('moves into a folder, renames, and does both with one request', async () => {
    const from = await world.make('From', 'root')
    const to = await world.make('To', 'root')
    const id = await world.make('a', from, 'a')
    expect((await world.drv('mv', '/From/a', '/To')).id).toBe(id)
    expect(await titles(to)).toEqual(['a'])
    expect((await world.drv('mv', '/To/a', '/To/b')).title).toBe('b')
    const both = await counted('mv', [id, '/From/c'])
    expect(both.stderr.match(/^PATCH /gm)).toHaveLength(1)
    expect(await titles(from)).toEqual(['c'])
    expect(await titles(to)).toEqual([])
  })

  test('moves a folder, or with a trailing slash its contents', async () => {
    await world.run('mkdir', ['-p', '/Slash/in/deep', '/Slash/out'])
    const out = (await world.drv('files get', '/Slash/out')).id
    expect((await world.run('mv', ['/Slash/in/', '/Slash/out'])).code).toBe(0)
    expect(await titles(out)).toEqual(['deep'])
    expect((await world.run('mv', ['/Slash/in', '/Slash/out/'])).code).toBe(0)
    expect(await titles(out)).toEqual(['deep', 'in'])
    expect((await world.run('mv', ['/Slash/out/', '/Slash/new'])).code).toBe(0)
    expect(await titles((await world.drv('files get', '/Slash/new')).id)).toEqual(['deep', 'in'])
  })

  test('never replaces a file without --if-exists', async () => {
    const folder = await world.make('Taken', 'root')
    const below = await world.make('below', folder)
    const old = await world.make('x', below, 'old')
    const id = await world.make('x', folder, 'new')
    for (const dest of ['/Taken/below', '/Taken/below/x']) {
      expect(await world.run('mv', ['/Taken/x', dest])).toMatchObject({code: 12, stdout: ''})
    }
    expect((await world.run('mv', ['/Taken/x', '/Taken'])).code).toBe(12)
    const skipped = await world.drv('mv', '/Taken/x', '/Taken/below', '--if-exists', 'skip')
    expect(skipped.id).toBe(old)
    const renamed = await world.drv('mv', '/Taken/x', '/Taken/below', '--if-exists', 'rename')
    expect(renamed).toMatchObject({id, title: 'x (1)'})
    await world.drv('mv', '/Taken/below/x (1)', '/Taken/x')
    const moved = await world.drv('mv', '/Taken/x', '/Taken/below', '--if-exists', 'replace')
    expect(moved.id).toBe(id)
    expect(await titles(below)).toEqual(['x'])
    expect((await world.drv('files get', old)).labels.trashed).toBe(true)
  })

  test('moves only one of two items with the same name', async () => {
    await world.run('mkdir', ['-p', '/Two/a', '/Two/b', '/Two/to'])
    const [a, b, to] = await Promise.all(
      ['a', 'b', 'to'].map(async name => (await world.drv('files get', `/Two/${name}`)).id),
    )
    await world.make('same', a, 'a')
    await world.make('same', b, 'b')
    await world.make('other', b, 'b')
    const words = ['/Two/a/same', '/gone', '/Two/b/same', '/Two/b/other']
    const result = await world.run('mv', [...words, '/Two/to', '--format', 'ndjson'])
    expect(result.code).toBe(9)
    const lines = result.stdout.trimEnd().split('\n')
    expect(lines.map(line => JSON.parse(line).error?.exit)).toEqual([undefined, 5, 12, undefined])
    expect(lines.map(line => JSON.parse(line).input)).toEqual(words)
    expect(await titles(to)).toEqual(['other', 'same'])
  })

  test('rejects invalid arguments before it sends changes', async () => {
    await world.run('mkdir', ['-p', '/Sense/a/b/c'])
    writeFileSync(join(world.folder, 'here.txt'), 'x')
    mkdirSync(join(world.folder, 'there'), {recursive: true})
    const refused: ReadonlyArray<readonly [string[], number, string]> = [
      [['/Sense/a', '/Sense/a/b/c'], 2, 'into itself'],
      [['/Sense/a', '/Sense/a'], 2, 'into itself'],
      [['/', '/Sense'], 2, 'the root of My Drive'],
      [['./here.txt', '/Sense'], 2, 'drv push ./here.txt /Sense'],
      [['here.txt', '/Sense'], 2, 'drv push here.txt /Sense'],
      [['/Sense/a', 'there'], 2, 'drv pull /Sense/a there'],
      [['/Sense/a', world.folder], 2, 'drv pull /Sense/a'],
      [[join(world.folder, 'here.txt'), '/Sense'], 2, 'drv push'],
      [['/Sense/a', '/Nowhere/at/all'], 5, 'drv mkdir -p /Nowhere/at'],
      [['/Sense/a', '/Sense/a/b', '/Nowhere'], 5, 'drv mkdir -p'],
      [['trash:/x', '/Sense'], 2, 'drv restore'],
      [['/Sense/a', 'trash:/x'], 2, 'drv rm'],
    ]
    for (const [words, code, text] of refused) {
      const result = await world.run('mv', [...words, '--verbose'])
      expect(result, result.stderr).toMatchObject({code})
      expect(result.stderr).toContain(text)
      // A batch of reads is a POST.
      expect(result.stderr).not.toMatch(/^(PATCH|POST (?!\S+\/batch ))/m)
    }
    expect((await world.drv('history'))[0].command).toContain('mkdir -p /Sense/a/b/c')
  })

  test('300 files by ID need about one request per 100', async () => {
    const [from, to] = [await world.make('Much', 'root'), await world.make('More', 'root')]
    const ids = await many(300, 'much', from)
    const result = await counted('mv', ['-', '/More', '--quiet'], ids.join('\n'))
    expect(result.code, result.stderr).toBe(0)
    expect(await titles(to)).toHaveLength(300)
    expect(result.requests).toBeLessThanOrEqual(8)
  })

  test('shows its requests and sends none with --dry-run and --curl', async () => {
    const folder = await world.make('Dry', 'root')
    await world.make('a', folder, 'a')
    const planned = await world.run('mv', ['/Dry/a', '/Dry/b', '--dry-run'])
    expect(planned.stdout).toRead()
    const request = await world.run('mv', ['/Dry/a', '/Dry/b', '--dry-run', '--verbose'])
    expect(request.stdout).toMatch(/^PATCH .*\n(.*\n)*.*"title": "b"/m)
    const curl = await world.run('mv', ['/Dry/a', '/To', '--curl'])
    expect(curl.stdout).toMatch(/^curl .*-X PATCH.*addParents=/)
    expect(await titles(folder)).toEqual(['a'])
  })
})

describe('cp', () => {
  test('copies files under their own or a new title, never two with the same name', async () => {
    const folder = await world.make('Copy', 'root')
    const to = await world.make('copies', folder)
    await world.make('a', folder, 'text')
    const copied = await world.drv('cp', '-rf', '/Copy/a', '/Copy/copies')
    expect(copied).toMatchObject({title: 'a'})
    expect(await textOf(copied.id)).toBe('text')
    expect((await world.run('cp', ['/Copy/a', '/Copy/copies'])).code).toBe(12)
    expect((await world.run('cp', ['/Copy/a', '/Copy'])).code).toBe(12)
    expect((await world.run('cp', ['/Copy/a', '/Copy', '--if-exists', 'replace'])).code).toBe(12)
    expect((await world.drv('cp', '/Copy/a', '/Copy/b')).title).toBe('b')
    const renamed = await world.drv('cp', '/Copy/a', '/Copy', '--if-exists', 'rename')
    expect(renamed.title).toBe('a (1)')
    await world.drv('cp', '/Copy/b', '/Copy/copies/a', '--if-exists', 'replace')
    expect(await titles(to)).toEqual(['a'])
    expect((await world.drv('files get', copied.id)).labels.trashed).toBe(true)
  })

  test('copies a folder file by file, and merges it into an existing one', async () => {
    await world.run('mkdir', ['-p', '/Tree/sub/empty', '/Copied'])
    const tree = (await world.drv('files get', '/Tree')).id
    const sub = (await world.drv('files get', '/Tree/sub')).id
    await world.make('top', tree, 'top')
    await world.make('low', sub, 'low')
    await world.drv('files insert', '--title', 'doc', '--parent', sub, '--mime-type', DOCUMENT)
    const made = await world.drv('cp', '/Tree', '/Copied')
    expect(made).toMatchObject({title: 'Tree'})
    expect(await titles(made.id)).toEqual(['sub', 'top'])
    const low = (await world.drv('files get', '/Copied/Tree/sub')).id
    expect(await titles(low)).toEqual(['doc', 'empty', 'low'])
    // A second run keeps existing files and copies new ones.
    await world.make('more', sub, 'more')
    const again = await world.run('cp', ['/Tree', '/Copied', '--if-exists', 'skip', '--json'])
    expect(again).toMatchObject({code: 0})
    expect(again.json().id).toBe(made.id)
    expect(await titles(low)).toEqual(['doc', 'empty', 'low', 'more'])
    const conflicts = await world.run('cp', ['/Tree', '/Copied'])
    expect(conflicts.code).toBe(9)
    expect(conflicts.stderr).toMatch(/^Failed: \/Tree\/sub\/low: /m)
    // A trailing slash means the contents.
    expect((await world.run('cp', ['/Tree/', '/Copied'])).code).toBe(0)
    const copied = (await world.drv('files get', '/Copied')).id
    expect(await titles(copied)).toEqual(['Tree', 'sub', 'top'])
    expect((await world.run('cp', ['/Tree', '/Tree/sub'])).code).toBe(2)
  })

  test('a folder of 150 files is copied in batches, each file once', async () => {
    const folder = await world.make('Batch', 'root')
    await many(150, 'batch', folder)
    const result = await counted('cp', ['/Batch', '/Batch copy', '--quiet'])
    expect(result.code, result.stderr).toBe(0)
    const {id} = await world.drv('files get', '/Batch copy')
    expect(await titles(id)).toEqual(await titles(folder))
    expect(result.requests).toBeLessThanOrEqual(12)
  })
})

const DOCUMENT = 'application/vnd.google-apps.document'

describe('rm', () => {
  test('trashes files and folders, from arguments, lines and records', async () => {
    const folder = await world.make('Rm', 'root')
    const ids = await many(5, 'rm', folder)
    expect((await world.drv('rm', '-rf', '/Rm/rm 0')).id).toBe(ids[0])
    expect((await world.run('rm', ['/Rm/rm 1', ids[2]!])).code).toBe(0)
    expect((await world.run('rm', ['-'], {input: `${ids[3]}\n`})).code).toBe(0)
    const list = world.file('rm.csv', `id\n${ids[4]}\n`)
    expect((await world.run('rm', ['--from', list])).code).toBe(0)
    expect(await titles(folder)).toEqual([])
    expect((await world.drv('files get', ids[1]!)).labels.trashed).toBe(true)
    expect((await world.run('rm', ['/Rm/rm 1'])).code).toBe(5)
  })

  test('--permanently requires --yes despite -f, and accepts trash paths', async () => {
    const id = await world.make('gone for good', 'root', 'x')
    await world.drv('rm', id)
    for (const flags of [[], ['-f'], ['-rf']]) {
      const refused = await world.run('rm', ['trash:/gone for good', '--permanently', ...flags])
      expect(refused).toMatchObject({code: 2})
      expect(refused.stderr).toContain('--yes')
    }
    expect((await world.drv('files get', id)).id).toBe(id)
    const gone = await world.run('rm', ['trash:/gone for good', '--permanently', '--yes'])
    expect(gone).toMatchObject({code: 0, stdout: ''})
    expect((await world.run('files get', [id])).code).toBe(5)
  })

  test('rejects the root of a drive, and respects read-only mode', async () => {
    const id = await world.make('rm guard', 'root', 'x')
    for (const word of ['/', 'root', 'drive:Team', 'drive:Team/']) {
      for (const words of [[word], [id, word]]) {
        const refused = await world.run('rm', words)
        expect(refused, refused.stderr).toMatchObject({code: 2, stdout: ''})
        expect(refused.stderr).toRead()
      }
    }
    const refused = await world.run('rm', [id, '--read-only'])
    expect(refused).toMatchObject({code: 13})
    expect(refused.stderr).toRead()
    expect((await world.run('rm', [id, '--dry-run'])).stdout).toBe(
      'Would move rm guard (1 B) to the trash\n',
    )
    expect((await world.drv('files get', id)).labels.trashed).toBe(false)
  })

  test('300 files by ID need about one request per 100', async () => {
    const folder = await world.make('Thousand', 'root')
    const ids = await many(300, 'much', folder)
    const result = await counted('rm', ['-', '--quiet'], ids.join('\n'))
    expect(result.code, result.stderr).toBe(0)
    expect(await titles(folder)).toEqual([])
    expect(result.requests).toBeLessThanOrEqual(5)
  })
})

describe.skipIf(missingTerminal !== undefined)('at a terminal', () => {
  test('rm reports in one line, and asks before --permanently', async () => {
    const id = await world.make('way back', 'root', 'x')
    const first = startAtTerminal(['rm', '/way back'], {env: world.env})
    expect(await first.ended).toBe(0)
    expect(screenOf(first.output())).toEqual([
      `Moved /way back to the trash  ${id}`,
      "To restore it, run `drv restore '/way back'`.",
    ])
    const second = startAtTerminal(['rm', id, '--permanently', '-f'], {env: world.env})
    await second.shows(/Delete permanently\?/)
    second.type('n\r')
    expect(await second.ended).toBe(130)
    expect((await world.drv('files get', id)).id).toBe(id)
  })

  test('control characters in names do not affect prompts', async () => {
    const hostile = 'x \u001b]0;pwned\u0007 \u001b[2J\u009b31m\n? Forged: all is well'
    const folder = await world.make('Steered', 'root')
    const id = await world.make(hostile, folder, 'a')
    const {id: driveId} = await world.drv(
      'drives insert',
      '--name',
      hostile,
      '--request-id',
      'steer',
    )
    const other = await world.make('Other', 'root')
    await world.make(hostile, other, 'b')
    for (const [question, ...line] of [
      [/Delete permanently\?/, 'files', 'delete', id],
      [/Delete permanently\?/, 'rm', id, '--permanently'],
      [/Delete permanently\?/, 'drives', 'delete', driveId],
      [/Remove it from its only folder\?/, 'children', 'delete', folder, id],
      [/already exists/, 'cp', id, other],
      [/already exists/, 'mv', id, other],
    ] as const) {
      const drv = startAtTerminal(line, {env: {...world.env, TERM: 'dumb'}})
      await drv.shows(question)
      drv.type('\u0003')
      await drv.ended
      expect(drv.output(), line.join(' ')).toContain('Forged')
      expect(drv.output(), line.join(' ')).not.toMatch(/[\u0007\u001b\u009b]|\n\? Forged/)
    }
    const refused = await world.run('children delete', [folder, id])
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('Forged')
    expect(refused.stderr).not.toMatch(/[\u0007\u001b\u009b]|\n\s*\? Forged/)
  })

  test('cp asks how to resolve a conflict', async () => {
    const folder = await world.make('Asked', 'root')
    await world.make('a', folder, 'a')
    const drv = startAtTerminal(['cp', '/Asked/a', '/Asked'], {env: world.env})
    await drv.shows(/a already exists/)
    drv.type('\u001B[B\u001B[B')
    await drv.shows(/❯ Keep both/)
    drv.type('\r')
    expect(await drv.ended, drv.output()).toBe(0)
    expect(await titles(folder)).toEqual(['a', 'a (1)'])
  })
})
