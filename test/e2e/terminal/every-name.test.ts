import {createHash} from 'node:crypto'
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'

/** Each verb with a path, an ID and a link, and with two items; effects are checked in the service. */

let world: World
beforeAll(async () => {
  world = await startWorld({}, runHere)
})
afterAll(() => world.close())

/** A separate folder for each line, with one or two files and an empty folder. */
interface Scene {
  readonly path: string
  readonly id: string
  readonly other: string
  readonly files: readonly Named[]
}

interface Named {
  readonly path: string
  readonly id: string
  readonly title: string
  readonly content: string
}

interface Verb {
  readonly line: string
  /** The arguments after the names. */
  readonly behind?: (scene: Scene) => readonly string[]
  readonly before?: (file: Named) => Promise<unknown>
  readonly env?: Readonly<Record<string, string>>
  /** The expected state of each named file. */
  readonly then: (file: Named, scene: Scene, stdout: string) => Promise<unknown>
}

/** Sends a request to the service, without a command. */
async function ask(path: string, method = 'GET', body?: object | string): Promise<any> {
  const isText = typeof body === 'string'
  const answer = await fetch(world.url + path, {
    method,
    headers: {
      authorization: `Bearer ${world.env.DRV_TOKEN}`,
      'content-type': isText ? 'text/plain' : 'application/json',
    },
    ...(body !== undefined && {body: isText ? body : JSON.stringify(body)}),
  })
  if (!answer.ok) throw new Error(`${path} answered ${await answer.text()}`)
  const text = await answer.text()
  return answer.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text
}
const FILES = '/drive/v2/files'
const record = (id: string) => ask(`${FILES}/${id}`)
const content = (id: string) => ask(`${FILES}/${id}?alt=media`)
const items = async (path: string): Promise<any[]> => (await ask(path)).items
const titles = async (folder: string) => (await world.children(folder)).map(({title}) => title)

const sharing = ({id}: Named) =>
  ask(`${FILES}/${id}/permissions?sendNotificationEmails=false`, 'POST', {
    ...{role: 'reader', type: 'user', value: 'ada@example.com'},
  })
const people = async ({id}: Named) =>
  (await items(`${FILES}/${id}/permissions`)).map(({emailAddress}) => emailAddress)
const newContent = ({id}: Named) => ask(`/upload${FILES}/${id}?uploadType=media`, 'PUT', 'new')

const verbs: readonly Verb[] = [
  {
    line: 'edit',
    env: {EDITOR: 'sed -i s/^/edited-/', PATH: process.env.PATH!},
    then: async file => expect(await content(file.id)).toBe(`edited-${file.content}`),
  },
  {
    line: 'touch',
    before: ({id}) =>
      ask(`${FILES}/${id}?setModifiedDate=true`, 'PATCH', {modifiedDate: '2020-01-01T00:00:00Z'}),
    then: async ({id}) => expect((await record(id)).modifiedDate > '2021').toBe(true),
  },
  {
    line: 'star',
    then: async ({id}) => expect((await record(id)).labels.starred).toBe(true),
  },
  {
    line: 'unstar',
    before: ({id}) => ask(`${FILES}/${id}`, 'PATCH', {labels: {starred: true}}),
    then: async ({id}) => expect((await record(id)).labels.starred).toBe(false),
  },
  {
    line: 'restore',
    before: ({id}) => ask(`${FILES}/${id}/trash`, 'POST'),
    then: async ({id}) => expect((await record(id)).labels.trashed).toBe(false),
  },
  {
    line: 'restore --revision head~1',
    before: newContent,
    then: async file => expect(await content(file.id)).toBe(file.content),
  },
  {
    line: 'rename s/^/x-/',
    then: async ({id, title}) => expect((await record(id)).title).toBe(`x-${title}`),
  },
  {
    line: 'ln -s',
    behind: ({path}) => [`${path}/other/`],
    async then({id, title}, {other}) {
      const link = (await world.children(other)).find(one => one.title === title)
      expect(link?.shortcutDetails.targetId).toBe(id)
    },
  },
  {
    line: 'md5sum',
    async then({content}, _, stdout) {
      expect(stdout).toContain(createHash('md5').update(content).digest('hex'))
    },
  },
  {
    line: 'revisions prune --keep 1 --yes',
    before: newContent,
    then: async ({id}) => expect(await items(`${FILES}/${id}/revisions`)).toHaveLength(1),
  },
  {line: 'stat', then: async ({id}, _, stdout) => expect(stdout).toContain(id)},
  {line: 'cat', then: async ({content}, _, stdout) => expect(stdout).toContain(content)},
  {
    line: 'cp',
    behind: ({path}) => [`${path}/other`],
    async then({title}, {id, other}) {
      expect(await titles(other)).toContain(title)
      expect(await titles(id)).toContain(title)
    },
  },
  {
    line: 'mv',
    behind: ({path}) => [`${path}/other`],
    then: async ({id}, {other}) => expect((await record(id)).parents).toMatchObject([{id: other}]),
  },
  {
    line: 'rm',
    then: async ({id}) => expect((await record(id)).labels.trashed).toBe(true),
  },
  {
    line: 'share --no-notify',
    behind: () => ['ada@example.com'],
    then: async file => expect(await people(file)).toContain('ada@example.com'),
  },
  {
    line: 'unshare',
    behind: () => ['ada@example.com'],
    before: sharing,
    then: async file => expect(await people(file)).not.toContain('ada@example.com'),
  },
  {line: 'url', then: async ({id}, _, stdout) => expect(stdout).toContain(id)},
  {
    line: 'pull',
    behind: ({id}) => [`${join(world.folder, id)}/`],
    async then({title, content}, {id}) {
      expect(readFileSync(join(world.folder, id, title), 'utf8')).toBe(content)
    },
  },
]

const linkTo = (id: string) => `https://drive.example.com/file/d/${id}/view?usp=sharing`

let scenes = 0
async function sceneOf(...names: readonly string[]): Promise<Scene> {
  scenes += 1
  const title = `Scene ${scenes}`
  const id = await world.make(title, 'root')
  const other = await world.make('other', id)
  const files: Named[] = []
  for (const name of names) {
    const content = `${name} of scene ${scenes}`
    const made = await world.make(`${name}.txt`, id, content)
    files.push({path: `/${title}/${name}.txt`, id: made, title: `${name}.txt`, content})
  }
  return {path: `/${title}`, id, other, files}
}

describe.each([
  ['a path', ['a'], [({path}: Named) => path]],
  ['an ID', ['a'], [({id}: Named) => id]],
  ['a link', ['a'], [({id}: Named) => linkTo(id)]],
  ['two things', ['a', 'b'], [({path}: Named) => path, ({id}: Named) => linkTo(id)]],
])('%s', (_, names, writings) => {
  test.each(verbs)('$line', async ({line, behind, before, env, then}) => {
    const scene = await sceneOf(...names)
    for (const file of scene.files) await before?.(file)
    const words = scene.files.map((file, index) => writings[index]!(file))
    const options = env === undefined ? {} : {env}
    const result = await world.run(line, [...words, ...(behind?.(scene) ?? [])], options)
    expect(result.code, result.stderr).toBe(0)
    for (const file of scene.files) await then(file, scene, result.stdout)
  })
})

test('check accepts a folder by path, ID and link', async () => {
  const scene = await sceneOf('a')
  const [file] = scene.files
  const local = join(world.folder, 'to-check')
  mkdirSync(join(local, 'other'), {recursive: true})
  writeFileSync(join(local, 'a.txt'), file!.content)
  const link = `https://drive.example.com/drive/folders/${scene.id}`
  for (const word of [scene.path, scene.id, link]) {
    const result = await world.run('check', [local, word])
    expect(result.code, result.stdout + result.stderr).toBe(0)
  }
  await newContent(file!)
  for (const word of [scene.path, scene.id, link]) {
    expect((await world.run('check', [local, word])).code).toBe(1)
  }
})
