import {mkdtemp, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {chooseTarget} from '#lib/cli/verbs/content/target.js'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drv-'))
})
afterEach(() => rm(folder, {recursive: true}))

describe('the target', () => {
  test('is the path that was named, and may be replaced', async () => {
    const path = join(folder, 'a.txt')
    await writeFile(path, 'old')
    expect(await chooseTarget(path, 'title', false)).toEqual({path, overwrite: true})
  })

  test('is the title, made safe, in a directory that was named', async () => {
    expect(await chooseTarget(folder, '../x/y', false)).toEqual({
      path: join(folder, '_x_y'),
      overwrite: false,
    })
  })

  test('made from a title replaces nothing unless forced', async () => {
    expect((await chooseTarget(folder, 'a.txt', false)).overwrite).toBe(false)
    expect((await chooseTarget(folder, 'a.txt', true)).overwrite).toBe(true)
  })
})
