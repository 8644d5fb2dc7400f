import {existsSync, mkdtempSync, rmSync, statSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {makeFolder} from '#lib/platform/write-file.js'

let top: string
beforeAll(() => {
  top = mkdtempSync(join(tmpdir(), 'drv-'))
})
afterAll(() => rmSync(top, {recursive: true, force: true}))

test('creates missing directories with their mode, even concurrently', async () => {
  const path = join(top, 'a/b/c')
  const below = (name: number) => join(path, String(name % 3), String(name))
  await Promise.all(Array.from({length: 50}, (_, name) => makeFolder(below(name), 0o700)))
  expect(statSync(below(49)).mode & 0o777).toBe(0o700)
  await makeFolder(path)
  await makeFolder('/')
})

test('fails if a file is in the way', async () => {
  writeFileSync(join(top, 'file'), '')
  await expect(makeFolder(join(top, 'file'))).rejects.toMatchObject({code: 'ENOTDIR'})
  await expect(makeFolder(join(top, 'file/below'))).rejects.toMatchObject({code: 'ENOTDIR'})
})

test.skipIf(!existsSync('/proc/version'))('ends if nothing can be created', async () => {
  await expect(makeFolder('/proc/drv/deep')).rejects.toMatchObject({code: 'EROFS'})
})
