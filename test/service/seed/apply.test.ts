import {mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {beforeEach, describe, expect, onTestFinished, test} from 'vitest'
import {DataError} from '#lib/platform/setup-error.js'
import {createService, type Service, type ServiceOptions} from '#lib/service/index.js'
import {mintToken} from '#lib/service/oauth/tokens/mint-token.js'
import {allScopes} from '#lib/service/oauth/tokens/scopes.js'
import {readSeed, seedOf} from '#lib/service/seed/read.js'
import type {Seed} from '#lib/service/seed/seed.js'
import {defaultUser} from '#lib/service/store/seeded.js'
import {userByLogin} from '#lib/service/store/users.js'

/** What a service has after it was started with a seed. */

const NOW = Date.UTC(2027, 2, 1, 12)
const DAY = 86_400_000

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'drv-'))
  onTestFinished(() => rmSync(folder, {recursive: true}))
})

const file = (name: string, content: string | Buffer = '') => {
  mkdirSync(join(folder, name, '..'), {recursive: true})
  writeFileSync(join(folder, name), content)
}

async function start(options: Partial<ServiceOptions>): Promise<Service> {
  const service = await createService({clock: () => NOW, ...options})
  onTestFinished(() => service.close())
  return service
}

const seeded = (seed: Seed) => start({seed: seedOf(seed)})
const fromText = async (text: string, options: Partial<ServiceOptions> = {}) =>
  start({seed: await readSeed(text, join(folder, 'seed.yaml')), ...options})

/** Sends requests as a user. */
function as({store, url}: Service, login?: string, clientId?: string) {
  const user = login === undefined ? defaultUser(store, NOW) : userByLogin(store, login)!
  const token = mintToken(store, {user, clientId, scopes: allScopes()}, NOW)
  const send = (path: string) => fetch(url + path, {headers: {authorization: `Bearer ${token}`}})
  const all = 'supportsAllDrives=true&includeItemsFromAllDrives=true'
  return {
    get: async (path: string): Promise<any> =>
      (await send(`/drive/v2/${path}${path.includes('?') ? '&' : '?'}${all}`)).json(),
    text: async (id: string) => (await send(`/drive/v2/files/${id}?alt=media`)).text(),
  }
}

test('users, apps and organizations', async () => {
  const service = await seeded({
    users: [
      {
        login: 'ada',
        name: 'Ada Lovelace',
        email: 'ada@example.org',
        createdDate: '2020-01-01T00:00:00Z',
      },
      {login: 'bert', id: 70, emailVerified: false, suspended: true, rootId: 'bert-root'},
    ],
    apps: [{clientId: 'tool', name: 'Tool', clientSecret: 'hush', deviceFlow: true, expiresIn: 60}],
    drives: [{name: 'Finance', id: 'finance'}],
    organizations: [{name: 'acme', sso: true, drives: ['Finance']}],
  })
  const about = await as(service).get('about')
  expect(about).toMatchObject({
    name: 'Ada Lovelace',
    user: {emailAddress: 'ada@example.org'},
  })
  const {store} = service
  expect(userByLogin(store, 'bert')).toMatchObject({
    ...{id: 70, suspended: 1, email_verified: 0, root_id: 'bert-root', email: 'bert@example.com'},
  })
  expect(userByLogin(store, 'ada')).toMatchObject({id: 1, created_at: Date.UTC(2020, 0, 1)})
  expect(userByLogin(store, 'local')).toBeUndefined()
  const form = {client_id: 'tool', client_secret: 'hush', scope: 'drive'}
  const grant = await fetch(`${service.url}/login/device/code`, {
    method: 'POST',
    body: new URLSearchParams(form),
  })
  expect(grant.status).toBe(200)
  // A personal token needs single sign-on first.
  expect((await as(service).get('files/finance')).error).toMatchObject({code: 403})
})

test('files with all that they can have', async () => {
  file('logo.png', Buffer.from('89504e470d0a1a0a0000000d4948445200000010000000200806', 'hex'))
  file('site/index.html', '<p>hi</p>')
  file('site/css/main.css', 'p {}')
  const service = await fromText(`
users:
  - login: ada
    files:
      - title: Reports
        id: reports
        folderColorRgb: '#ff0000'
        permissions:
          - {role: writer, value: bert}
          - {role: reader, type: anyone, withLink: true}
          - {role: commenter, value: carl@example.net, expirationDate: 7d}
        children:
          - title: q3.txt
            id: q3
            text: third quarter
            createdDate: 7d
            modifiedDate: 1d
            modifiedBy: bert
            description: numbers
            properties: [{key: state, value: final}]
            labels: [{id: status, fields: {a: {valueType: text, values: [x]}}}]
            marks: {ada: {starred: true}}
          - {title: old.txt, id: old, text: old, trashed: true, trashedDate: 2d}
          - title: draft.txt
            id: draft
            revisions:
              - {text: one, modifiedDate: 3d}
              - {text: two, modifiedDate: 2d, pinned: true}
          - {title: big.bin, id: big, size: 1 MiB}
      - {title: link, id: link, shortcutTarget: q3}
      - {path: logo.png, id: logo}
      - {path: site, title: Site, id: site}
      - {title: Notes, id: notes, mimeType: application/vnd.google-apps.document, text: hello}
  - login: bert
`)
  const ada = as(service, 'ada')
  const bert = as(service, 'bert')
  expect(await ada.get('files/q3')).toMatchObject({
    title: 'q3.txt',
    mimeType: 'text/plain',
    fileSize: '13',
    description: 'numbers',
    createdDate: new Date(NOW - 7 * DAY).toISOString(),
    modifiedDate: new Date(NOW - DAY).toISOString(),
    lastModifyingUser: {displayName: 'bert'},
    properties: [{key: 'state', value: 'final', visibility: 'PUBLIC'}],
    labels: {starred: true},
    version: '2',
    parents: [{id: 'reports'}],
  })
  expect(await bert.text('q3')).toBe('third quarter')
  expect((await bert.get('files/q3')).labels.starred).toBe(false)
  expect((await ada.get('files/q3/listLabels')).items).toMatchObject([{id: 'status'}])
  const {items: permissions} = await ada.get('files/reports/permissions')
  expect(permissions.map(({role, type}: any) => `${type} ${role}`).sort()).toEqual([
    'anyone reader',
    'user owner',
    'user reader',
    'user writer',
  ])
  expect(
    permissions.find(({emailAddress}: any) => emailAddress === 'carl@example.net'),
  ).toMatchObject({
    additionalRoles: ['commenter'],
    expirationDate: new Date(NOW + 7 * DAY).toISOString(),
  })
  expect(await ada.get('files/old')).toMatchObject({
    explicitlyTrashed: true,
    labels: {trashed: true},
  })
  const {items: revisions} = await ada.get('files/draft/revisions')
  expect(revisions).toMatchObject([{pinned: false}, {pinned: true, fileSize: '3'}])
  expect(await ada.text('draft')).toBe('two')
  expect(await ada.get('files/big')).toMatchObject({fileSize: '1048576'})
  expect(await ada.get('files/link')).toMatchObject({
    shortcutDetails: {targetId: 'q3', targetMimeType: 'text/plain'},
  })
  expect(await ada.get('files/logo')).toMatchObject({
    title: 'logo.png',
    imageMediaMetadata: {width: 16, height: 32},
  })
  const below = async (id: string) => (await ada.get(`files?q='${id}' in parents`)).items
  expect((await below('site')).map(({title}: any) => title).sort()).toEqual(['css', 'index.html'])
  expect((await ada.get("files?q=fullText contains 'hello'")).items).toMatchObject([{id: 'notes'}])
  expect((await ada.get("files?q=fullText contains 'quarter'")).items).toMatchObject([{id: 'q3'}])
  expect((await bert.get('files?q=sharedWithMe')).items).toMatchObject([{id: 'reports'}])
  expect((await ada.get('about')).quotaBytesUsed).toBe(
    String(13 + 3 + 6 + 1048576 + 26 + 9 + 4 + 95),
  )
})

test('shared drives, hidden folders of apps, and ownership', async () => {
  const service = await seeded({
    users: [
      {login: 'ada', files: [{title: 'f', children: [{title: 'his', id: 'his', owner: 'bert'}]}]},
      {login: 'bert'},
    ],
    apps: [{clientId: 'tool', name: 'Tool'}],
    drives: [
      {
        name: 'One',
        id: 'one',
        themeId: 'coffee',
        hiddenFor: ['bert'],
        restrictions: {driveMembersOnly: true},
        permissions: [
          {role: 'organizer', value: 'bert'},
          {role: 'reader', value: 'ada'},
        ],
        files: [{title: 'plan', id: 'plan', text: 'x'}],
      },
      {name: 'Two', colorRgb: '#102030'},
    ],
    appData: [{user: 'ada', app: 'tool', files: [{title: 'settings.json', text: '{}'}]}],
  })
  const [ada, bert] = [as(service, 'ada'), as(service, 'bert')]
  expect(await bert.get('drives/one')).toMatchObject({
    ...{name: 'One', colorRgb: '#795548', hidden: true, restrictions: {driveMembersOnly: true}},
  })
  expect((await ada.get('drives/one')).hidden).toBe(false)
  expect((await ada.get("drives?q=name='Two'")).items).toMatchObject([{colorRgb: '#102030'}])
  expect((await ada.get('files/plan')).userPermission.role).toBe('reader')
  expect((await ada.get('files/his')).owners).toMatchObject([{displayName: 'bert'}])
  const app = as(service, 'ada', 'tool')
  const {items} = await app.get('files?spaces=appDataFolder')
  expect(items).toMatchObject([{title: 'settings.json'}])
  // Followers see the items of the seed.
  const {items: changes} = await ada.get('changes?startChangeId=1')
  expect(changes.map(({fileId}: any) => fileId)).toContain('his')
})

test('without users, items belong to the user local; an empty file is a seed, too', async () => {
  expect((await as(await seeded({files: [{title: 'a'}]})).get('files')).items).toHaveLength(1)
  const empty = await fromText('')
  expect(userByLogin(empty.store, 'local')).toBeDefined()
})

test('a running service gets more with another seed', async () => {
  const service = await seeded({files: [{title: 'a', id: 'a'}]})
  await service.seed(
    seedOf({files: [{title: 'b', id: 'b'}], users: [{login: 'local', name: 'Me'}]}),
  )
  expect((await as(service).get('files')).items).toHaveLength(2)
  expect((await as(service).get('about')).name).toBe('Me')
  const again = service.seed(
    seedOf({files: [{title: 'c'}, {title: 'b', id: 'b', text: 'x'.repeat(50_000)}]}),
  )
  await expect(again).rejects.toRead()
  expect((await as(service).get('files')).items).toHaveLength(2)
})

test('generated content is always the same, and text for text types', async () => {
  const seed = {
    files: [
      {title: 'a.txt', id: 'a', size: '100 KiB'},
      {title: 'b.bin', id: 'b', size: 100},
    ],
  }
  const [one, two] = [await seeded(seed), await seeded(seed)]
  const text = await as(one).text('a')
  expect(text).toMatch(/^([\da-f]{63}\n)+[\da-f]*$/)
  expect(text).toHaveLength(100 * 1024)
  expect(await as(two).text('a')).toBe(text)
})

describe('a data directory', () => {
  const seed = 'files: [{title: a}]'
  const data = () => join(folder, 'data')

  test('made from the same seed is used as it is', async () => {
    await (await fromText(seed, {data: data()})).close()
    const notices: string[] = []
    const notice = (text: string) => notices.push(text)
    const service = await fromText(`${seed} # the same`, {data: data(), notice})
    expect(notices).toHaveLength(1)
    expect(notices[0]).toRead()
    expect((await as(service).get('files')).items).toHaveLength(1)
  })

  test('with other data is refused', async () => {
    await (await fromText(seed, {data: data()})).close()
    await expect(fromText('files: []', {data: data()})).rejects.toRead()
    await (await start({data: join(folder, 'other')})).close()
    const other = fromText(seed, {data: join(folder, 'other')})
    await expect(other).rejects.toThrow(DataError)
    await expect(other).rejects.toRead()
  })

  test('is not made from the same seed if a local file has changed', async () => {
    file('a.txt', 'one')
    await (await fromText('files: [{path: a.txt}]', {data: data()})).close()
    file('a.txt', 'two')
    await expect(fromText('files: [{path: a.txt}]', {data: data()})).rejects.toRead()
  })

  test('stays empty after an error', async () => {
    const broken = `files: [{title: a, text: ${'x'.repeat(50_000)}}, {title: b, shortcutTarget: none}]`
    await expect(fromText(broken, {data: data()})).rejects.toRead()
    expect(readdirSync(join(data(), 'content'))).toEqual([])
    const service = await fromText(seed, {data: data()})
    expect((await as(service).get('files')).items).toHaveLength(1)
  })
})

/** A seed, and the line of its problem. */
const INVALID: ReadonlyArray<readonly [seed: string, line: number]> = [
  ['users: [{login: ada}\nfiles: x', 2],
  ['users:\n  - login: ada\n    Name: Ada', 3],
  ['colour: red', 1],
  ['users:\n  - name: Ada', 2],
  ['users:\n  - login: 5', 2],
  ['users:\n  - login: a b', 2],
  ['- a', 1],
  ['files:\n- title: a\n  id: "a/b"', 3],
  ['files:\n- title: a\n  id: root', 3],
  ['files:\n- title: a\n- text: b', 3],
  ['files:\n- title: a\n  text: b\n  size: 3', 4],
  ['files:\n- title: a\n  size: 3 TiB', 3],
  ['files:\n- title: a\n  size: 0.5', 3],
  ['files:\n- title: a\n  size: 99 GiB', 3],
  ['files:\n- title: a\n  createdDate: soon', 3],
  ['files:\n- title: a\n  owner: bert', 3],
  ['files:\n- title: a\n  children: []\n  text: b', 4],
  ['files:\n- title: a\n  mimeType: application/vnd.google-apps.x', 3],
  ['files:\n- {title: a, id: a}\n- {title: b, id: a}', 3],
  ['files:\n- title: a\n  permissions:\n  - {role: owner, value: b}', 4],
  ['files:\n- title: a\n  permissions:\n  - {role: reader, value: b}', 4],
  ['files:\n- title: a\n  permissions:\n  - {role: organizer, value: local}', 4],
  [`files:\n- title: a\n  properties: [{key: k, value: ${'x'.repeat(200)}}]`, 3],
  ['files:\n- title: a\n  headRevisionId: r\n  revisions: [{id: s}]', 3],
  ['drives:\n- name: a\n  themeId: x', 2],
  ['drives:\n- {name: a, id: d}\n- {name: a, id: d}', 3],
  ['organizations:\n- name: acme\n  drives: [none]', 3],
  ['apps:\n- clientId: a\n  name: A\n  facts: {x: 1}', 4],
  ['users:\n- {login: ada, id: 3}\n- {login: bert, id: 3}', 3],
  ['users:\n- login: ada\n- login: bert\n  email: ada@example.com', 4],
  ['appData:\n- user: x', 2],
]

test.each(INVALID)('refused: %s', async (text, line) => {
  const path = join(folder, 'seed.yaml')
  const work = fromText(text)
  await expect(work).rejects.toMatchObject({name: 'SeedError', file: path, line})
  await expect(work).rejects.toRead()
})

describe('local paths stay below the folder of the seed', () => {
  beforeEach(() => {
    file('seed/a.txt', 'a')
    file('outside.txt', 'secret')
    folder = join(folder, 'seed')
  })

  test.each(['../outside.txt', '/etc/hostname', '..', 'a/../../outside.txt'])('%s', async path => {
    await expect(fromText(`files: [{title: x, path: "${path}"}]`)).rejects.toRead()
  })

  test('links as well', async () => {
    mkdirSync(join(folder, 'docs'))
    symlinkSync('../../outside.txt', join(folder, 'docs/link.txt'))
    for (const path of ['docs', 'docs/link.txt']) {
      await expect(fromText(`files: [{path: ${path}}]`)).rejects.toRead()
    }
  })

  test('and links in a circle are refused', async () => {
    mkdirSync(join(folder, 'docs'))
    symlinkSync('..', join(folder, 'docs/up'))
    symlinkSync('../docs', join(folder, 'docs/same'))
    await expect(fromText('files: [{path: docs}]')).rejects.toRead()
  })

  test('a missing file is named', async () => {
    await expect(fromText('files:\n- path: none')).rejects.toRead()
  })
})
