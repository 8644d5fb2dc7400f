import {execFileSync, spawnSync} from 'node:child_process'
import {expect, test} from 'vitest'
import {TAR_END, type TarEntry, tarHeader, tarPadding} from '#lib/transfer/tree/tar.js'

/** An archive with entries whose content is zeros. */
function archiveOf(entries: readonly TarEntry[]): Buffer {
  const parts = entries.flatMap(entry => [
    tarHeader(entry),
    Buffer.alloc(entry.isFolder ? 0 : entry.size),
    tarPadding(entry.isFolder ? 0 : entry.size),
  ])
  return Buffer.concat([...parts, TAR_END])
}

/** The system tar's listing: size, date and name of each entry. */
function listed(archive: Buffer): string[] {
  const args = ['-tvf', '-', '--quoting-style=literal', '--utc', '--full-time']
  const text = execFileSync('tar', args, {
    input: archive,
    encoding: 'utf8',
    env: {...process.env, LC_ALL: 'C.UTF-8'},
  })
  return text.trimEnd().split('\n')
}

const modified = Date.UTC(2026, 4, 6, 7, 8, 9, 500)
const long = `${'d'.repeat(60)}/${'e'.repeat(60)}`
const names: ReadonlyArray<readonly [what: string, path: string]> = [
  ['a short name', 'a.txt'],
  ['a hundred bytes', 'n'.repeat(100)],
  ['a path that is split in two', `${long}/f.txt`],
  ['a name that no field holds', `${'n'.repeat(101)}.txt`],
  ['a path whose folders no field holds', `${long}/${long}/${long}/f.txt`],
  ['what is not ASCII', 'Müller/報告 🎉.txt'],
  ['a name of 99 bytes in a pax record', `${'é'.repeat(44)}.txt`],
]

test.each(names)('tar reads %s', (_, path) => {
  const archive = archiveOf([
    {path: 'first', isFolder: true, size: 0},
    {path, isFolder: false, size: 700, modified},
    {path: `${path}.d`, isFolder: true, size: 0, modified},
    {path: 'last', isFolder: false, size: 0, modified},
  ])
  const [, file, folder, last] = listed(archive)
  expect(file).toMatch(/^-rw-r--r-- 0\/0 +700 2026-05-06 07:08:09 /)
  expect(file!.endsWith(` ${path}`)).toBe(true)
  expect(folder).toMatch(/^drwxr-xr-x 0\/0 +0 2026-05-06 07:08:09 /)
  expect(folder!.endsWith(` ${path}.d/`)).toBe(true)
  expect(last!.endsWith(' last')).toBe(true)
  expect(archive.length % 512).toBe(0)
})

test('a file of more than 8 GiB has its size in a pax record', () => {
  const size = 2 ** 33 + 5
  const header = tarHeader({path: 'big', isFolder: false, size})
  expect(header.length).toBe(3 * 512)
  // Tar reads the header, but the content is missing.
  const {stdout, stderr} = spawnSync('tar', ['-tvf', '-'], {input: header, encoding: 'utf8'})
  expect(stdout).toContain(` ${size} `)
  expect(stderr).toContain('Unexpected EOF')
})

test.each([
  [0, 0],
  [1, 511],
  [512, 0],
  [513, 511],
])('content of %i bytes is padded with %i', (size, padding) => {
  expect(tarPadding(size).length).toBe(padding)
})

test('a time before 1970 becomes the first that a header supports', () => {
  const [line] = listed(archiveOf([{path: 'a', isFolder: false, size: 0, modified: -5000}]))
  expect(line).toContain('1970-01-01 00:00:00')
})
