import {chmodSync, existsSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {runHere} from '../../support/here.js'
import {missingTerminal, startAtTerminal} from '../../support/terminal.js'
import {startWorld, type World} from '../../support/world.js'

let world: World
let reports: string
let year: string
let file: string
beforeAll(async () => {
  world = await startWorld({}, runHere)
  reports = await world.make('Reports', 'root')
  year = await world.make(`it's \\ 2026`, reports)
  file = await world.make('q3.pdf', year, 'three')
})
afterAll(() => world.close())

const path = `/Reports/it's \\ 2026/q3.pdf`

/** Runs a command and counts its requests with `--verbose`. */
async function counted(command: string, ...args: string[]) {
  const result = await world.run(command, [...args, '--json', '--verbose'])
  const requests = result.stderr.match(/^(GET|POST|PUT|PATCH|DELETE) http/gm) ?? []
  return {...result, requests: requests.length}
}

describe('a file is named', () => {
  test.each([
    ['by a path', () => path, 3],
    ['by a path below an ID', () => `${reports}/it's \\ 2026/q3.pdf`, 3],
    ['by its ID', () => file, 1],
    ['by its ID, told to be one', () => `id:${file}`, 1],
    ['by a link of another host', () => `https://drive.example.com/file/d/${file}/view#x`, 1],
  ])('%s', async (_, word, requests) => {
    const result = await counted('files get', word())
    expect(result.code).toBe(0)
    expect(JSON.parse(result.stdout)).toMatchObject({id: file})
    expect(result.requests).toBe(requests)
  })

  test('by its own links', async () => {
    const {alternateLink, selfLink} = await world.drv('files get', file)
    for (const link of [alternateLink, selfLink]) {
      expect(await world.drv('files get', link)).toMatchObject({id: file})
    }
  })

  test('in a folder, in flags and in a reference', async () => {
    const target = await world.make('Target', 'root')
    const made = await world.drv('files insert', '--title', 'new', '--parent', '/Target/')
    expect((await world.children(target)).map(({id}) => id)).toEqual([made.id])
    await world.drv(
      'files patch',
      '/Target/new',
      '--add-parents',
      '/Reports',
      '--remove-parents',
      '/Target',
    )
    expect((await world.drv('files get', made.id)).parents).toMatchObject([{id: reports}])
    const copy = await world.drv('files copy', path, '--title', 'copy', '--parent', '/')
    expect(copy.parents).toMatchObject([{isRoot: true}])
    expect(await world.drv('parents get', '/copy', '/')).toMatchObject({isRoot: true})
  })

  test('in the trash only with trash:', async () => {
    const id = await world.make('old.txt', reports, 'old')
    await world.drv('files trash', '/Reports/old.txt')
    const plain = await world.run('files get', ['/Reports/old.txt'])
    expect(plain.code).toBe(5)
    expect(plain.stderr).toRead()
    expect(plain.stderr).not.toMatch(/scope/)
    await world.drv('files untrash', 'trash:/Reports/old.txt')
    expect(await world.drv('files get', '/Reports/old.txt')).toMatchObject({id})
  })

  test('in a shared drive, by the name of the drive', async () => {
    const {id: driveId} = await world.drv('drives insert', '--name', 'Finance')
    const plan = ['--title', 'plan.txt', '--parent', 'drive:Finance']
    const {id} = await world.drv('files insert', ...plan)
    expect(await world.drv('files get', 'drive:Finance/plan.txt')).toMatchObject({id})
    for (const word of ['Finance', 'drive:Finance', driveId]) {
      expect(await world.drv('drives get', word)).toMatchObject({id: driveId})
    }
    expect((await counted('drives get', driveId)).requests).toBe(1)
    const list = await world.drv('files list', '--corpora', 'drive', '--drive-id', 'Finance')
    expect(list.items).toMatchObject([{id}])
    const nothing = await world.run('drives get', ['Financ'])
    expect(nothing.code).toBe(5)
  })

  test('in the files that others share', async () => {
    const ann = await world.as('ann@example.com')
    const id = await ann.make('From Ann.txt', 'root', 'hello')
    await ann.drv('permissions insert', id, ...sharing(await world.drv('about get')))
    expect(await world.drv('files get', 'shared:/From Ann.txt')).toMatchObject({id})
  })
})

const sharing = ({user}: {user: {emailAddress: string}}) => [
  ...['--role', 'reader', '--type', 'user'],
  ...['--value', user.emailAddress],
]

test('a permission is named by its address, a revision by head', async () => {
  const share = ['--role', 'reader', '--type']
  await world.drv('permissions insert', path, ...share, 'user', '--value', 'bob@example.com')
  await world.drv('permissions insert', path, ...share, 'anyone')
  expect(await world.drv('permissions get', path, 'Bob@example.com')).toMatchObject({
    emailAddress: 'bob@example.com',
  })
  await world.drv('permissions delete', path, 'anyone')
  const types = (await world.drv('permissions list', file)).items.map(
    ({type}: {type: string}) => type,
  )
  expect(types.sort()).toEqual(['user', 'user'])
  const missing = await world.run('permissions get', [path, 'rob@example.com'])
  expect(missing.code).toBe(5)
  expect(missing.stderr).toRead()
  const {headRevisionId} = await world.drv('files get', file)
  expect(await world.drv('revisions get', path, 'head')).toMatchObject({id: headRevisionId})
})

test('an ambiguous name is an error', async () => {
  const one = await world.make('twice', 'root', 'one')
  const two = await world.make('twice', 'root')
  const result = await world.run('files delete', ['/twice', '--yes'])
  expect(result.code).toBe(12)
  expect(result.stderr).toRead()
  const date = String.raw`20\d\d-\d\d-\d\d \d\d:\d\d`
  expect(result.stderr).toMatch(new RegExp(`^  ${one}  /twice  3 B  ${date}$`, 'm'))
  expect(result.stderr).toMatch(new RegExp(`^  ${two}  /twice  folder  ${date}$`, 'm'))
  const ids = (await world.children('root')).map(({id}) => id)
  expect(ids).toEqual(expect.arrayContaining([one, two]))
  const json = await world.run('files get', ['/twice', '--json'])
  expect(JSON.parse(json.stderr).error.candidates).toHaveLength(2)
})

test('at a terminal, the user chooses between items with the same name', async ({skip}) => {
  skip(missingTerminal !== undefined, missingTerminal)
  const ids = [await world.make('pair', 'root', 'one'), await world.make('pair', 'root', 'two')]
  const terminal = startAtTerminal(['files', 'get', '/pair', '--json', '--no-pager'], {
    env: world.env,
  })
  await terminal.shows(/Several items are named \/pair\. Which one\?/)
  terminal.type('\r')
  const [, id = ''] = await terminal.shows(/"id": "([\w-]+)"/)
  expect(ids).toContain(id)
  expect(await terminal.ended).toBe(0)
})

test('other mistakes in the line are reported before any request', async () => {
  const result = await counted('files get', path, '--revision-id', '..')
  expect(result).toMatchObject({code: 2, requests: 0})
})

test('a dry run shows the ID for a path', async () => {
  const {stdout} = await world.run('files trash', [path, '--dry-run', '--verbose'])
  expect(stdout).toMatch(new RegExp(`^POST .*/files/${file}/trash`, 'm'))
})

test('a tree is pushed into a shared drive by its name, and pulled from it', async () => {
  await world.drv('drives insert', '--name', 'Backup of us')
  const local = world.file('letter.txt', 'dear')
  expect((await world.run('push', [local, 'drive:Backup of us/Letters/'])).code).toBe(0)
  const pulled = await world.run('pull', ['drive:Backup of us/Letters/letter.txt', 'back'])
  expect(pulled.code).toBe(0)
  const trash = await world.run('push', [local, 'trash:/x'])
  expect(trash.code).toBe(2)
})

test('the address of a file is printed, and opened in $BROWSER', async () => {
  const {alternateLink} = await world.drv('files get', file)
  expect((await world.run('files url', [path])).stdout).toBe(`${alternateLink}\n`)
  expect(await world.drv('files url', path)).toEqual({alternateLink})
  const opened = join(world.folder, 'opened')
  const browser = world.file('browser', `#!/bin/sh\nprintf '%s' "$1" > '${opened}'\n`)
  chmodSync(browser, 0o755)
  const result = await world.run('files open', [path], {env: {BROWSER: browser}})
  expect(result.code).toBe(0)
  await expect.poll(() => existsSync(opened) && readFileSync(opened, 'utf8')).toBe(alternateLink)
})

test('a shared drive whose name is misspelled or ambiguous', async () => {
  for (const name of ['Harvest', 'Twice', 'Twice']) {
    await world.drv('drives insert', '--request-id', `${name}-${Math.random()}`, '--name', name)
  }
  const misspelt = await world.run('drives get', ['Harvset'])
  expect(misspelt.code).toBe(5)
  expect(misspelt.stderr).toMatch(/no shared drive "Harvset"\.\nDid you mean "Harvest"\?/)
  const twice = await world.run('drives get', ['Twice'])
  expect(twice.code).toBe(12)
  expect(twice.stderr).toRead()
})
