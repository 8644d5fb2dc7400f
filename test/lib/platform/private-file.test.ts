import {execFileSync} from 'node:child_process'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import {tmpdir} from 'node:os'
import {dirname, join} from 'node:path'
import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {completionFile} from '#lib/cli/context/completion-file.js'
import {documentCache} from '#lib/cli/document/profile-document.js'
import {ownPermissionId} from '#lib/cli/guard/impact.js'
import type {Settings} from '#lib/config/settings.js'
import {isPrivate, readPrivateFile, writePrivateFile} from '#lib/platform/private-file.js'

let home: string
let file: string
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'drv-private-'))
  file = join(home, 'drv/descriptions/one.json')
  await writePrivateFile(file, 'own')
})
afterEach(() => rmSync(home, {recursive: true}))

test('only files that nobody else can write are trusted', () => {
  const user = 1000
  expect(isPrivate({uid: user, mode: 0o40700}, user)).toBe(true)
  expect(isPrivate({uid: user, mode: 0o100600}, user)).toBe(true)
  expect(isPrivate({uid: 0, mode: 0o40700}, user)).toBe(false)
  for (const bit of [0o001, 0o002, 0o004, 0o010, 0o020, 0o040]) {
    expect(isPrivate({uid: user, mode: 0o40700 | bit}, user)).toBe(false)
  }
  // Windows has no user IDs, and its file modes mean nothing.
  expect(isPrivate({uid: 0, mode: 0o40777}, undefined)).toBe(true)
})

test('a file is read back', () => {
  expect(readPrivateFile(file)?.toString()).toBe('own')
  expect(readPrivateFile(file, 3)?.toString()).toBe('own')
  expect(readPrivateFile(file, 2)).toBeUndefined()
  expect(readPrivateFile(`${file}.missing`)).toBeUndefined()
})

/** Situations in which another user could have written a file or its directory. */
const planted: Array<readonly [string, (path: string) => void]> = [
  ['a directory that others may read', path => chmodSync(dirname(path), 0o755)],
  ['a directory that others may write to', path => chmodSync(dirname(path), 0o777)],
  ['a file that others may read', path => chmodSync(path, 0o644)],
  ['a file that others may write to', path => chmodSync(path, 0o620)],
  [
    'a link to a directory',
    path => {
      renameSync(dirname(path), `${dirname(path)}.real`)
      symlinkSync(`${dirname(path)}.real`, dirname(path))
    },
  ],
  [
    'a link to a file',
    path => {
      renameSync(path, join(home, 'real'))
      symlinkSync(join(home, 'real'), path)
    },
  ],
  [
    'a pipe',
    path => {
      rmSync(path)
      execFileSync('mkfifo', ['-m', '600', path])
    },
  ],
  [
    'a directory in its place',
    path => {
      rmSync(path)
      mkdirSync(path, 0o700)
    },
  ],
]
if (process.getuid?.() === 0) {
  planted.push(
    ['a directory of another user', path => chownSync(dirname(path), 12345, 12345)],
    ['a file of another user', path => chownSync(path, 12345, 12345)],
  )
}

describe('files that another user may have written are not trusted', () => {
  test.each(planted)('%s', (_, change) => {
    change(file)
    expect(readPrivateFile(file)).toBeUndefined()
  })

  test.each(planted)('a description: %s', async (_, change) => {
    const kept = {url: 'https://files.example.com/x', etag: '"one"', text: '{}'}
    const cache = documentCache(file)
    await cache.write(kept)
    expect(cache.read()).toEqual(kept)
    change(file)
    expect(cache.read()).toBeUndefined()
  })

  test.each(planted)('names for completion: %s', async (_, change) => {
    const settings: Settings = {profile: 'p', embedded: false, clientId: 'drv', binding: 'b'}
    const kept = completionFile(home, settings, 'places')
    await kept.write({a: 1})
    expect(kept.read()).toEqual({a: 1})
    const [directory = ''] = readdirSync(join(home, 'completion'))
    const [name = ''] = readdirSync(join(home, 'completion', directory))
    change(join(home, 'completion', directory, name))
    expect(kept.read()).toBeUndefined()
  })

  test.each(planted)('the permission ID of the user: %s', async (_, change) => {
    let asked = 0
    const context = {
      settings: async () => ({binding: 'b'}),
      directories: {state: home},
      client: async () => ({call: async () => ({permissionId: `own-${++asked}`})}),
    } as unknown as Parameters<typeof ownPermissionId>[0]
    expect(await ownPermissionId(context)).toBe('own-1')
    expect(await ownPermissionId(context)).toBe('own-1')
    const [name = ''] = readdirSync(join(home, 'self'))
    change(join(home, 'self', name))
    expect(await ownPermissionId(context)).toBe('own-2')
  })
})

test('a private directory is closed to others, and their files in it are replaced', async () => {
  chmodSync(dirname(file), 0o777)
  writeFileSync(file, 'planted')
  await writePrivateFile(file, 'own again')
  expect(statSync(dirname(file)).mode & 0o777).toBe(0o700)
  expect(readPrivateFile(file)?.toString()).toBe('own again')
})

test('nothing is written through a link', async () => {
  const elsewhere = join(home, 'elsewhere')
  mkdirSync(elsewhere)
  symlinkSync(elsewhere, join(home, 'link'))
  await writePrivateFile(join(home, 'link', 'one.json'), 'own')
  expect(readdirSync(elsewhere)).toEqual([])
})

test.skipIf(process.getuid?.() !== 0)('nor into a directory of another user', async () => {
  const other = join(home, 'other')
  mkdirSync(other)
  chownSync(other, 12345, 12345)
  await writePrivateFile(join(other, 'one.json'), 'own')
  expect(readdirSync(other)).toEqual([])
  expect(statSync(other).mode & 0o777).toBe(0o755)
})
