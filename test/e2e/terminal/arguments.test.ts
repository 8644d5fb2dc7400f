import {existsSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'

/** Everyday command lines: short flags, searches, `-` for the standard streams. */

let world: World
beforeAll(async () => {
  world = await startWorld({}, runHere)
  await world.make('a.txt', 'root', 'one\n')
  const sub = await world.make('Sub', 'root')
  await world.make('b.txt', sub, 'two\n')
})
afterAll(() => world.close())

test('an invalid query is shown with a caret under the error, and nothing is sent', async () => {
  const {code, stdout, stderr} = await world.run('files list --verbose --q', [
    "title contans 'a' and trashed = false",
  ])
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr.split('\n')).toEqual([
    'Error: Invalid --q: unexpected "contans".',
    "  title contans 'a' and trashed = false",
    '        ^',
    `Did you mean \`drv files list --verbose --q "title contains 'a' and trashed = false"\`?`,
    expect.stringMatching(/^0 requests in \d/),
    '',
  ])
})

test('short flags can precede and follow the arguments', async () => {
  const before = await world.run('-qJ -L 1 files list')
  expect(before).toMatchObject({code: 0, stderr: ''})
  expect(before.json<{items: unknown[]}>().items).toHaveLength(1)
  const behind = await world.run('files list -J -a')
  expect(behind.json<{items: unknown[]}>().items.length).toBeGreaterThan(2)
  expect((await world.run('files trash -n /a.txt')).stdout).toBe(
    'Would move /a.txt (4 B) to the trash\n',
  )
})

test('-q with a value names the flags that were probably meant', async () => {
  for (const line of ['files list -q x', 'files list -q title=x', '-q .title files list']) {
    const {code, stderr} = await world.run(line)
    expect(code).toBe(2)
    expect(stderr).toRead()
  }
})

test('--verbose prints the number of requests, and changes no result', async () => {
  const plain = await world.run('files list')
  const {stdout, stderr} = await world.run('files list --verbose')
  expect(stdout).toBe(plain.stdout)
  const lines = stderr.trim().split('\n')
  expect(lines.filter(line => line.startsWith(`GET ${world.url}/`))).toHaveLength(1)
  expect(lines.at(-1)).toMatch(/^1 request in \d+\.\d s\.$/)
})

test('a pull to - writes one file to standard output, and nothing else', async () => {
  expect(await world.run('pull /a.txt -')).toMatchObject({code: 0, stdout: 'one\n'})
  expect(await world.run('pull /a.txt - --dry-run')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('download'),
  })
  for (const [line, words] of [
    ['pull /a.txt /Sub/b.txt -', 'Cannot write 2 files to standard output.'],
    ['pull /a.txt - --delete --yes', '--delete cannot be used'],
  ] as const) {
    const result = await world.run(line)
    expect(result).toMatchObject({code: 2, stdout: '', stderr: expect.stringContaining(words)})
  }
  expect(existsSync(join(world.folder, '-'))).toBe(false)
})

test('a push of - into a folder is rejected with a line that names the file', async () => {
  expect(await world.run('push - /Sub', [], {input: 'x'})).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('`drv push - /Sub/NAME`'),
  })
})

test('new content without a descriptive name keeps the media type', async () => {
  const {id} = await world.drv('files insert', world.file('notes.md', '# A'))
  const {mimeType} = await world.drv('files update', id, world.file('NOTES', '# B'))
  expect(mimeType).toBe('text/markdown')
})
