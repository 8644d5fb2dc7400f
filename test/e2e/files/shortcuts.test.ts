import {existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, beforeEach, describe, expect, test} from 'vitest'
import {SHORTCUT_TYPE} from '#lib/api/wire.js'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'

/** Shortcuts as arguments. */

let world: World
let file: string
let folder: string
beforeAll(async () => {
  world = await startWorld({}, runHere)
  folder = await world.make('folder', 'root')
  file = await world.make('target.txt', folder, 'content')
  await link('to-file', file)
  await link('to-folder', folder)
  const gone = await world.make('gone.txt', 'root', 'gone')
  await link('broken', gone)
  await world.drv('files delete', gone, '--yes')
})
afterAll(() => world.close())

async function link(title: string, targetId: string, parent = '/'): Promise<string> {
  const body = JSON.stringify({shortcutDetails: {targetId}})
  const type = ['--mime-type', SHORTCUT_TYPE, '--body', body]
  return (await world.drv('files insert', '--title', title, '--parent', parent, ...type)).id
}

/** All paths in a local folder. */
function below(path: string): string[] {
  const all = readdirSync(path, {recursive: true, withFileTypes: true})
  return all
    .filter(one => one.isFile())
    .map(one => join(one.parentPath, one.name).slice(path.length + 1))
    .sort()
}

test('cat and pull read the target of a shortcut', async () => {
  expect((await world.run('cat', ['/to-file'])).stdout).toBe('content')
  expect((await world.run('pull', ['/to-file', '-'])).stdout).toBe('content')
  const target = join(world.folder, 'named.txt')
  expect(await world.drv('pull', '/to-file', target)).toMatchObject({created: 1})
  expect(readFileSync(target, 'utf8')).toBe('content')
  await world.drv('pull', '/to-folder', '/to-folder/', join(world.folder, 'down'))
  expect(existsSync(join(world.folder, 'down/to-folder/target.txt'))).toBe(true)
  expect(existsSync(join(world.folder, 'down/target.txt'))).toBe(true)
})

test('ls lists the target folder of a shortcut, also in the middle of a path', async () => {
  const paths = async (...words: string[]) =>
    (await world.drv('ls', ...words)).map(({path}: {path: string}) => path)
  expect(await paths('/to-folder')).toEqual(['/to-folder/target.txt'])
  expect(await paths('/to-folder', '--no-follow')).toEqual(['/to-folder'])
  expect(await paths('/to-file')).toEqual(['/to-file'])
  expect((await world.run('cat', ['/to-folder/target.txt'])).stdout).toBe('content')
  expect((await world.drv('stat', '/to-file')).mimeType).toBe(SHORTCUT_TYPE)
})

test('cp copies the target of a shortcut, under the title of the shortcut', async () => {
  const copies = await world.make('copies', 'root')
  await world.drv('cp', '/to-file', '/copies')
  await world.drv('cp', '/to-file', '/copies/itself', '--no-follow')
  await world.drv('cp', '/to-folder', '/copies')
  const types = Object.fromEntries(
    (await world.children(copies)).map(({title, mimeType}) => [title, mimeType]),
  )
  expect(types).toMatchObject({'to-file': 'text/plain', itself: SHORTCUT_TYPE})
  expect((await world.run('cat', ['/copies/to-folder/target.txt'])).stdout).toBe('content')
})

test('a shortcut without a target is an error, as is one with --no-follow', async () => {
  for (const words of [['/broken'], ['/to-file', '--no-follow']]) {
    const {code, stderr} = await world.run('cat', words)
    expect(code).toBe(words.length === 1 ? 5 : 2)
    expect(stderr.replace(/ID [\w-]+/, 'ID …')).toRead()
  }
  const left = await world.drv('pull', '/to-file', join(world.folder, 'none/'), '--no-follow')
  expect(left.skipped).toHaveLength(1)
})

/** The ways to name an item: its path, its ID, and a link. */
async function waysTo(path: string): Promise<string[]> {
  const {id} = await world.drv('stat', path)
  return [path, id, `https://drive.google.com/open?id=${id}`]
}

describe.each(['path', 'ID', 'link'] as const)('named by its %s', way => {
  const words = async (path: string) => (await waysTo(path))[['path', 'ID', 'link'].indexOf(way)]!

  test('a shortcut to a file is the file', async () => {
    const word = await words('/to-file')
    const local = world.file('target.txt', 'content')
    await world.drv('push', local, '/folder')
    expect((await world.run('cat', [word])).stdout).toBe('content')
    const sums = (await world.run('md5sum', [word])).stdout
    expect(sums).toMatch(/^9a0364b9e99bb480dd25e1f0284c8555 {2}/)
    expect((await world.run('md5sum -c -', [], {input: sums})).code).toBe(0)
    expect((await world.run('check', [local, word])).code).toBe(0)
    expect(await world.drv('push', local, word)).toMatchObject({unchanged: 1})
    const env = {EDITOR: "sed -i 's/content/edited/'"}
    expect((await world.run('edit', [word], {env})).code).toBe(0)
    expect((await world.run('cat', ['/folder/target.txt'])).stdout).toBe('edited')
    expect(await world.drv('push', local, word)).toMatchObject({replaced: 1})
    expect((await world.run('cat', [file])).stdout).toBe('content')
    expect((await world.drv('stat', word)).mimeType).toBe(SHORTCUT_TYPE)
  })

  test('a shortcut to a folder is the folder', async () => {
    const word = await words('/to-folder')
    const titles = async (command: string) =>
      (await world.drv(command, word)).map(({title}: {title: string}) => title)
    for (const command of ['ls', 'find', 'tree']) {
      expect(await titles(command), command).toContain('target.txt')
    }
    expect((await world.run('md5sum', [word])).stdout).toContain('target.txt\n')
    expect((await world.drv('du', word)).at(-1)).toMatchObject({size: 7})
    const local = join(world.folder, `down-${way}`)
    await world.drv('pull', word, local)
    expect(below(local)).toEqual(['to-folder/target.txt'])
    expect((await world.run('check', [join(local, 'to-folder'), word])).code).toBe(0)
    await world.drv('push', world.file('more.txt', 'more'), word)
    await world.drv('mv', '/folder/more.txt', '/')
    await world.drv('cp', '/more.txt', word)
    if (way === 'path') await world.drv('mkdir', '-p', word)
    expect((await world.children(folder)).map(({title}) => title).sort()).toEqual([
      'more.txt',
      'target.txt',
    ])
    await world.drv('rm', '/folder/more.txt', '/more.txt')
  })

  test('ln creates a shortcut to the target of a shortcut', async () => {
    await world.drv('ln', '-s', await words('/to-file'), `/again-${way}`)
    const {shortcutDetails} = await world.drv('stat', `/again-${way}`)
    expect(shortcutDetails).toMatchObject({targetId: file})
  })
})

test('a path can go through a shortcut into a shared drive', async () => {
  const drive = await world.drv('drives insert', '--name', 'Finance')
  await world.drv('mkdir', 'drive:Finance/2026')
  await link('to-drive', drive.id)
  await world.drv('push', world.file('plan.txt', 'plan'), '/to-drive/2026')
  expect((await world.run('cat', ['/to-drive/2026/plan.txt'])).stdout).toBe('plan')
  expect((await world.drv('ls', '-R', '/to-drive')).map(({path}: any) => path)).toEqual([
    '/to-drive/2026',
    '/to-drive/2026/plan.txt',
  ])
})

describe('in a folder that is pulled', () => {
  let local: string
  let box: string
  let shared: string
  let target: string
  beforeEach(async () => {
    shared = await world.make('shared', 'root')
    target = await world.make('target.txt', shared, 'target')
    box = await world.make('box', 'root')
    await world.make('own.txt', box, 'own')
    await link('file-link', target, box)
    await link('folder-link', shared, box)
    await link('self', box, box)
    const gone = await world.make('gone-too.txt', 'root', 'gone')
    await link('lost', gone, box)
    await world.drv('files delete', gone, '--yes')
    local = join(world.folder, box)
  })

  const COPIES = ['file-link', 'folder-link/target.txt', 'own.txt']
  const inBox = async () => (await world.children(box)).map(({title}) => title).sort()

  test.each(['the folder', 'its contents'])(
    'pulled as %s, what they lead to comes down',
    async what => {
      const word = what === 'the folder' ? box : `${box}/`
      const {code, stderr} = await world.run('pull', [word, local])
      expect(code).toBe(0)
      expect(stderr.replaceAll(/ID [\w-]+/g, 'ID …').replace(/in [\d.]+ s/, 'in … s')).toRead()
      expect(below(local)).toEqual(
        COPIES.map(path => (what === 'the folder' ? `box/${path}` : path)),
      )
    },
  )

  test('a push creates no duplicates, and updates the targets', async () => {
    await world.drv('pull', `${box}/`, local)
    const titles = await inBox()
    expect(await world.drv('push', `${local}/`, box)).toMatchObject({created: 0, unchanged: 3})
    writeFileSync(join(local, 'file-link'), 'new content')
    mkdirSync(join(local, 'folder-link/made'))
    const changed = await world.drv('push', `${local}/`, box)
    expect(changed).toMatchObject({created: 0, replaced: 1})
    expect(await inBox()).toEqual(titles)
    expect((await world.run('cat', [target])).stdout).toBe('new content')
    expect((await world.children(shared)).map(({title}) => title)).toContain('made')
    const refused = await world.run('push', [`${local}/`, box, '--no-follow'])
    expect(refused.code).toBe(9)
  })

  test('--delete trashes neither shortcuts, which a pull can leave out, nor their targets', async () => {
    await world.drv('pull', `${box}/`, local)
    rmSync(join(local, 'folder-link/target.txt'))
    rmSync(join(local, 'file-link'))
    const {removed} = await world.drv('push', `${local}/`, box, '--delete', '--yes')
    expect(removed).toBe(0)
    expect(await inBox()).toEqual(['file-link', 'folder-link', 'lost', 'own.txt', 'self'])
    expect((await world.children(shared)).map(({title}) => title)).toEqual(['target.txt'])
    const {stdout, code} = await world.run('check', [local, box])
    expect([code, stdout]).toEqual([1, 'only remote\tfolder-link/target.txt\t\n'])
  })

  test('--no-follow skips them, with a notice', async () => {
    const {code, stderr} = await world.run('pull', [`${box}/`, local, '--no-follow'])
    expect(code).toBe(0)
    expect(stderr.replace(/in [\d.]+ s/, 'in … s')).toRead()
    expect(below(local)).toEqual(['own.txt'])
  })
})
