import {chmodSync, existsSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'

/** The URLs of files. */

let world: World
let links: string[]
beforeAll(async () => {
  world = await startWorld({}, runHere)
  const ids = [await world.make('a.txt', 'root', 'x'), await world.make('b.txt', 'root', 'x')]
  links = await Promise.all(
    ids.map(async id => (await world.drv('files get', id)).alternateLink as string),
  )
})
afterAll(() => world.close())

test('drv url prints one URL per file, and records for programs', async () => {
  expect((await world.run('url', ['/a.txt'])).stdout).toBe(`${links[0]}\n`)
  expect(await world.drv('url', '/b.txt')).toEqual({alternateLink: links[1]})
  expect((await world.run('url', ['/b.txt', '/a.txt'])).stdout).toBe(`${links[1]}\n${links[0]}\n`)
  const input = '/a.txt\n/nowhere.txt\n'
  const some = await world.run('url', ['-'], {input})
  expect(some).toMatchObject({code: 9, stdout: `${links[0]}\n`})
  expect((await world.run('url', ['/nowhere.txt'])).code).toBe(5)
  const shown = await world.run('url', ['/a.txt', '--dry-run'])
  expect(shown.stdout).toMatch(/^GET \S+\/files\/\S+fields=alternateLink/)
})

test('a path with a line break stays one name, in a pipe too', async () => {
  const victim = await world.make('victim.txt', 'root', 'x')
  const folder = await world.make('pipe', 'root')
  const made = await world.make(`innocent\n${victim}`, folder, 'x')
  for (const line of [
    ['find', '/pipe', '--format', 'ids', '--columns', 'path'],
    ['ls', '/pipe', '--format', 'ids', '--columns', 'path'],
  ] as const) {
    const [command, ...args] = line
    expect((await world.run(command, args)).stdout).toBe(`id:${made}\n`)
  }
  const titles = await world.run('ls', ['/pipe', '--format', 'ids', '--columns', 'title'])
  expect(titles).toMatchObject({code: 2, stdout: ''})
  expect(titles.stderr).toRead()
  const removed = await world.run('rm', ['-', '--yes'], {input: `id:${made}\n`})
  expect(removed.code).toBe(0)
  expect((await world.drv('files get', victim)).labels.trashed).toBe(false)
  expect((await world.drv('files get', made)).labels.trashed).toBe(true)
})

test('drv open opens it in $BROWSER, except in a dry run', async () => {
  const opened = join(world.folder, 'opened')
  const browser = world.file('browser', `#!/bin/sh\nprintf '%s' "$1" > '${opened}'\n`)
  chmodSync(browser, 0o755)
  const env = {BROWSER: browser}
  const dry = await world.run('open', ['/a.txt', '--dry-run'], {env})
  expect(dry).toMatchObject({code: 0, stdout: 'open in a browser\t/a.txt\n'})
  expect(existsSync(opened)).toBe(false)
  expect((await world.run('open', ['/a.txt'], {env})).code).toBe(0)
  await expect.poll(() => existsSync(opened) && readFileSync(opened, 'utf8')).toBe(links[0])
})
