import {mkdtemp, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {applyIfExists, chooseTarget} from '#lib/cli/verbs/content/download.js'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drv-'))
})
afterEach(() => rm(folder, {recursive: true}))

describe('the target', () => {
  test('is the named path, and may be replaced', async () => {
    const path = join(folder, 'a.txt')
    await writeFile(path, 'old')
    expect(await chooseTarget(path, 'title', false)).toEqual({path, overwrite: true})
  })

  test('is the title as a safe name in the named directory', async () => {
    expect(await chooseTarget(folder, '../x/y', false)).toEqual({
      path: join(folder, '_x_y'),
      overwrite: false,
    })
  })

  test('made from a title replaces a file only with force', async () => {
    expect((await chooseTarget(folder, 'a.txt', false)).overwrite).toBe(false)
    expect((await chooseTarget(folder, 'a.txt', true)).overwrite).toBe(true)
  })
})

describe('--if-exists', () => {
  const at = (
    path: string,
    ifExists: string | undefined,
    {overwrite = false, claims = [] as string[]} = {},
  ) => {
    const flags = ifExists === undefined ? {} : {'if-exists': ifExists}
    return applyIfExists({path, overwrite}, flags, new Set(claims))
  }

  test.each([
    [undefined, false],
    ['replace', true],
    ['skip', false],
    ['fail', false],
    ['rename', false],
  ])('%s keeps an unused name', (choice, overwrite) => {
    const path = join(folder, 'a.txt')
    expect(at(path, choice)).toEqual({path, overwrite})
  })

  test('resolves a conflict; the download itself rejects an existing file', async () => {
    const path = join(folder, 'a.txt')
    await writeFile(path, 'old')
    expect(at(path, undefined)).toEqual({path, overwrite: false})
    expect(at(path, undefined, {overwrite: true})).toEqual({path, overwrite: true})
    expect(at(path, 'replace')).toEqual({path, overwrite: true})
    expect(at(path, 'fail', {overwrite: true})).toEqual({path, overwrite: false})
    expect(at(path, 'skip')).toBeUndefined()
    expect(at(path, 'rename')).toEqual({path: join(folder, 'a (1).txt'), overwrite: false})
  })

  test('rejects two files of one command with the same target', () => {
    const path = join(folder, 'a.txt')
    const claims = [path, join(folder, 'a (1).txt')]
    for (const choice of [undefined, 'replace', 'fail']) {
      expect(() => at(path, choice, {overwrite: true, claims})).toRead()
    }
    expect(at(path, 'skip', {claims})).toBeUndefined()
    expect(at(path, 'rename', {claims})?.path).toBe(join(folder, 'a (2).txt'))
  })
})
