import {existsSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {SHORTCUT_TYPE} from '#lib/api/wire.js'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'

/** Shortcuts that a command line names. */

let world: World
let file: string
beforeAll(async () => {
  world = await startWorld({}, runHere)
  const folder = await world.make('folder', 'root')
  file = await world.make('target.txt', folder, 'content')
  await link('to-file', file)
  await link('to-folder', folder)
  const gone = await world.make('gone.txt', 'root', 'gone')
  await link('broken', gone)
  await world.drv('files delete', gone, '--yes')
})
afterAll(() => world.close())

async function link(title: string, targetId: string): Promise<void> {
  const body = JSON.stringify({shortcutDetails: {targetId}})
  await world.drv('files insert', '--title', title, '--mime-type', SHORTCUT_TYPE, '--body', body)
}

test('cat and pull read what a shortcut leads to', async () => {
  expect((await world.run('cat', ['/to-file'])).stdout).toBe('content')
  expect((await world.run('pull', ['/to-file', '-'])).stdout).toBe('content')
  const target = join(world.folder, 'named.txt')
  expect(await world.drv('pull', '/to-file', target)).toMatchObject({created: 1})
  expect(readFileSync(target, 'utf8')).toBe('content')
  await world.drv('pull', '/to-folder', '/to-folder/', join(world.folder, 'down'))
  expect(existsSync(join(world.folder, 'down/to-folder/target.txt'))).toBe(true)
  expect(existsSync(join(world.folder, 'down/target.txt'))).toBe(true)
})

test('ls lists the folder that a shortcut leads to, and paths lead through it', async () => {
  const paths = async (...words: string[]) =>
    (await world.drv('ls', ...words)).map(({path}: {path: string}) => path)
  expect(await paths('/to-folder')).toEqual(['/to-folder/target.txt'])
  expect(await paths('/to-folder', '--no-follow')).toEqual(['/to-folder'])
  expect(await paths('/to-file')).toEqual(['/to-file'])
  expect((await world.run('cat', ['/to-folder/target.txt'])).stdout).toBe('content')
  expect((await world.drv('stat', '/to-file')).mimeType).toBe(SHORTCUT_TYPE)
})

test('cp copies what a shortcut leads to, under its title', async () => {
  const folder = await world.make('copies', 'root')
  await world.drv('cp', '/to-file', '/copies')
  await world.drv('cp', '/to-file', '/copies/itself', '--no-follow')
  await world.drv('cp', '/to-folder', '/copies')
  const types = Object.fromEntries(
    (await world.children(folder)).map(({title, mimeType}) => [title, mimeType]),
  )
  expect(types).toMatchObject({'to-file': 'text/plain', itself: SHORTCUT_TYPE})
  expect((await world.run('cat', ['/copies/to-folder/target.txt'])).stdout).toBe('content')
})

test('a shortcut that leads nowhere is told, and so is one that is not to be followed', async () => {
  for (const words of [['/broken'], ['/to-file', '--no-follow']]) {
    const {code, stderr} = await world.run('cat', words)
    expect(code).toBe(words.length === 1 ? 5 : 2)
    expect(stderr.replace(/ID [\w-]+/, 'ID …')).toRead()
  }
  const left = await world.drv('pull', '/to-file', join(world.folder, 'none/'), '--no-follow')
  expect(left.skipped).toHaveLength(1)
})
