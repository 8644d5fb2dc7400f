import {expect, onTestFinished, test} from 'vitest'
import type {Row} from '#lib/cli/output/format.js'
import {yamlDocument} from '#lib/cli/output/yaml.js'
import {createService, type Service} from '#lib/service/index.js'
import {allApps, createApp, updateApp} from '#lib/service/oauth/store/apps.js'
import {createOrganization} from '#lib/service/oauth/store/organizations.js'
import {mintToken} from '#lib/service/oauth/tokens/mint-token.js'
import {allScopes} from '#lib/service/oauth/tokens/scopes.js'
import {exportSeed} from '#lib/service/seed/export.js'
import {sizesOnly, wholeContent} from '#lib/service/seed/export-content.js'
import {readSeed, seedOf} from '#lib/service/seed/read.js'
import type {Seed} from '#lib/service/seed/seed.js'
import {findRows} from '#lib/service/store/database/rows.js'
import {deleteUser} from '#lib/service/store/delete-user.js'
import type {Store} from '#lib/service/store/index.js'
import {createUser, userByLogin} from '#lib/service/store/users.js'
import {randomOf} from '../../support/random.js'

/** A seed made from a service makes the same service again. */

const NOW = Date.UTC(2027, 2, 1, 12)

async function start(seed?: Seed) {
  let now = NOW
  const clock = () => now
  const service = await createService({clock, ...(seed && {seed: seedOf(seed)})})
  onTestFinished(() => service.close())
  return Object.assign(service, {pass: (time: number) => void (now += time)})
}

/** The tables whose rows a seed makes again, without columns that differ by nature. */
const TABLES: Readonly<Record<string, readonly string[]>> = {
  users: [],
  apps: [],
  drives: [],
  hidden_drives: [],
  files: ['title_key', 'title_words'],
  revisions: ['number'],
  user_files: [],
  permissions: [],
  properties: [],
  file_labels: [],
  thumbnails: [],
  guests: [],
  file_words: ['key'],
  organizations: [],
  organization_drives: [],
}

/** All rows of a store, sorted, with checksums instead of the IDs of content. */
function rowsOf(store: Store, sums: boolean) {
  const contents = new Map(
    findRows<any>(store, 'blobs', {}, 'id').map(({id, sha256, size}) => [id, sums ? sha256 : size]),
  )
  const users = findRows<any>(store, 'users', {}, 'id').map(({id}) => id)
  const all = Object.entries(TABLES).map(([table, omitted]) => {
    const rows = findRows<Record<string, unknown>>(store, table, {}, '1').map(row => {
      const kept = Object.entries(row).filter(([name]) => !omitted.includes(name))
      return Object.fromEntries(
        kept.map(([name, value]) => {
          if (name === 'blob_id') return [name, contents.get(String(value))]
          const isJson = ['details', 'facts', 'restrictions', 'fields', 'background'].includes(name)
          if (table === 'file_words') return [name, String(value).trim()]
          const parsed = isJson && value !== null ? JSON.parse(String(value)) : value
          const lock = parsed?.contentRestriction
          if (lock && !users.includes(lock.restrictingUserId)) lock.restrictingUserId = 0
          return [name, parsed]
        }),
      )
    })
    // The built-in app is not from the seed.
    const own = rows.filter(row => table !== 'apps' || row.name !== 'drv')
    const text = (row: object) => JSON.stringify(row)
    return [table, own.sort((a, b) => (text(a) < text(b) ? -1 : 1))] as const
  })
  return Object.fromEntries(all)
}

/** Sends requests as several users. */
function client(service: Service) {
  const tokens = new Map<string, string>()
  const tokenOf = (login: string, clientId?: string) => {
    const key = `${login} ${clientId}`
    const user = userByLogin(service.store, login)!
    const now = service.clock.now()
    const token =
      tokens.get(key) ?? mintToken(service.store, {user, clientId, scopes: allScopes()}, now)
    tokens.set(key, token)
    return token
  }
  return async (
    who: string,
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ) => {
    const [login = '', app] = who.split('@')
    const join = path.includes('?') ? '&' : '?'
    const response = await fetch(`${service.url}${path}${join}supportsAllDrives=true`, {
      method,
      headers: {
        authorization: `Bearer ${tokenOf(login, app)}`,
        ...(body !== undefined && {'content-type': 'application/json'}),
        ...headers,
      },
      body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    } as RequestInit)
    const text = await response.text()
    return {status: response.status, body: text ? JSON.parse(text) : undefined}
  }
}

const FILES = '/drive/v2/files'
const PNG = Buffer.from('89504e470d0a1a0a0000000d4948445200000010000000200806', 'hex')
const pick = <T>(random: () => number, some: readonly T[]): T =>
  some[Math.floor(random() * some.length)]!

/** Changes a service at random, so that everything that the API can write is in it. */
async function play(service: Awaited<ReturnType<typeof start>>, seed: number, rounds: number) {
  const {store} = service
  const random = randomOf(seed)
  for (const login of ['ada', 'bert', 'carl']) createUser(store, {login}, service.clock.now())
  createApp(
    store,
    {
      clientId: 'tool',
      name: 'Tool',
      deviceFlow: true,
      tokenLifetime: 60_000,
      facts: {primaryMimeTypes: ['text/x']},
    },
    NOW,
  )
  const send = client(service)
  const WHO = ['ada', 'ada', 'ada', 'ada', 'bert', 'ada@tool']
  const ids: string[] = []
  const folders: string[] = ['root']
  const drives: string[] = []
  const statuses: Record<string, number> = {}
  const note = (name: string, {status, body}: {status: number; body: any}) => {
    statuses[`${name} ${status}`] = (statuses[`${name} ${status}`] ?? 0) + 1
    return body
  }
  const keep = (body: any) => {
    if (!body?.id) return
    ids.push(body.id)
    if (body.mimeType?.endsWith('.folder')) folders.push(body.id)
  }
  const file = () => `${FILES}/${pick(random, ids.length > 0 ? ids : ['root'])}`
  const actions: Readonly<Record<string, () => Promise<void>>> = {
    async insert() {
      const mimeType = pick(random, [
        'text/plain',
        'application/vnd.google-apps.folder',
        'application/vnd.google-apps.document',
        'image/png',
        undefined,
        'application/vnd.google-apps.folder',
      ])
      const title = pick(random, ['a.txt', 'b', 'c.tar.gz', 'größe "x".md', 'line\ntwo', ' - x: y'])
      const body = {
        title,
        mimeType,
        parents: [{id: pick(random, folders)}],
        description: pick(random, [undefined, 'words']),
      }
      keep(note('insert', await send(pick(random, WHO), 'POST', FILES, body)))
    },
    async upload() {
      const type = pick(random, ['text/plain', 'application/octet-stream', 'image/png'])
      const content =
        type === 'image/png'
          ? (PNG as never)
          : pick(random, ['hello', '', 'x\r\ny', 'z'.repeat(20_000)])
      keep(
        note(
          'upload',
          await send(
            pick(random, WHO),
            'POST',
            `/upload${FILES}?uploadType=media&useContentAsIndexableText=${random() < 0.3}`,
            content,
            {'content-type': type},
          ),
        ),
      )
    },
    async convert() {
      keep(
        note(
          'convert',
          await send('ada', 'POST', `/upload${FILES}?uploadType=media&convert=true`, 'text of it', {
            'content-type': 'text/plain',
          }),
        ),
      )
    },
    async revise() {
      note(
        'revise',
        await send(
          pick(random, WHO),
          'PUT',
          `/upload${file().replace('/drive', '/drive')}?uploadType=media&pinned=${random() < 0.5}&newRevision=${random() < 0.7}`,
          `new ${random()}`,
          {'content-type': pick(random, ['text/plain', 'text/csv'])},
        ),
      )
    },
    async update() {
      const body = pick(random, [
        {title: pick(random, ['n.md', 'plain', 'pic.png'])},
        {description: 'changed', indexableText: {text: 'some hidden words'}},
        {labels: {starred: true}},
        {labels: {starred: false, viewed: false}},
        {lastViewedByMeDate: '2026-01-01T00:00:00Z'},
        {folderColorRgb: '#16a765'},
        {copyRequiresWriterPermission: true, writersCanShare: false},
        {contentRestrictions: [{readOnly: true, reason: 'final', ownerRestricted: random() < 0.5}]},
        {contentRestrictions: [{readOnly: false}]},
        {originalFilename: 'first.txt'},
        {modifiedDate: '2025-05-05T05:05:05.005Z'},
        {
          properties: [
            {key: 'k', value: String(random()), visibility: 'PRIVATE'},
            {key: 'p', value: 'v', visibility: 'PUBLIC'},
          ],
        },
        {thumbnail: {image: PNG.toString('base64url'), mimeType: 'image/png'}},
        {inheritedPermissionsDisabled: true},
      ])
      note(
        'update',
        await send(pick(random, WHO), 'PATCH', `${file()}?setModifiedDate=${random() < 0.5}`, body),
      )
    },
    async root() {
      note(
        'root',
        await send(
          'ada',
          'PATCH',
          `${FILES}/root`,
          pick(random, [{labels: {starred: true}}, {description: 'mine'}]),
        ),
      )
    },
    async trash() {
      note('trash', await send(pick(random, WHO), 'POST', `${file()}/trash`))
    },
    async untrash() {
      note('untrash', await send(pick(random, WHO), 'POST', `${file()}/untrash`))
    },
    async move() {
      note(
        'move',
        await send(pick(random, WHO), 'POST', `${file()}/parents`, {id: pick(random, folders)}),
      )
    },
    async copy() {
      keep(note('copy', await send(pick(random, WHO), 'POST', `${file()}/copy`, {})))
    },
    async shortcut() {
      const body = {
        title: 'link',
        mimeType: 'application/vnd.google-apps.shortcut',
        shortcutDetails: {targetId: pick(random, ids)},
      }
      keep(note('shortcut', await send('ada', 'POST', FILES, body)))
    },
    async share() {
      const body = pick(random, [
        {role: 'writer', type: 'user', value: 'bert@example.com'},
        {role: 'reader', type: 'user', value: 'stranger@example.net'},
        {role: 'reader', type: 'user', value: 'carl@example.com', additionalRoles: ['commenter']},
        {role: 'reader', type: 'group', value: 'all@example.org'},
        {role: 'reader', type: 'anyone', withLink: random() < 0.5},
        {role: 'reader', type: 'domain', value: 'example.com'},
        {role: 'writer', type: 'user', value: 'ada@example.com'},
      ])
      const done = note(
        'share',
        await send(
          pick(random, WHO),
          'POST',
          `${file()}/permissions?sendNotificationEmails=false`,
          body,
        ),
      )
      if (done?.type === 'user' && random() < 0.5) {
        note(
          'expire',
          await send('ada', 'PATCH', `${file()}/permissions/${done.id}`, {
            expirationDate: '2027-03-10T00:00:00Z',
          }),
        )
      }
    },
    async give() {
      const target = file()
      const {body} = await send('ada', 'GET', `${target}/permissions`)
      const other = body?.items?.find(({role, type}: any) => role === 'writer' && type === 'user')
      if (other)
        note(
          'give',
          await send('ada', 'PATCH', `${target}/permissions/${other.id}?transferOwnership=true`, {
            role: 'owner',
          }),
        )
    },
    async label() {
      const body = {
        labelModifications: [
          {
            labelId: pick(random, ['l1', 'l2']),
            fieldModifications: [{fieldId: 'f', setTextValues: ['x']}],
          },
        ],
      }
      note('label', await send(pick(random, WHO), 'POST', `${file()}/modifyLabels`, body))
    },
    async pin() {
      const target = file()
      const {body} = await send('ada', 'GET', `${target}/revisions`)
      const revision = body?.items && pick(random, body.items as any[])
      if (revision)
        note(
          'pin',
          await send('ada', 'PATCH', `${target}/revisions/${revision.id}`, {
            pinned: random() < 0.5,
            published: random() < 0.5,
            publishAuto: true,
          }),
        )
    },
    async drop() {
      const target = file()
      const {body} = await send('ada', 'GET', `${target}/revisions`)
      const revision = body?.items && pick(random, body.items as any[])
      if (revision) note('drop', await send('ada', 'DELETE', `${target}/revisions/${revision.id}`))
    },
    async drive() {
      if (drives.length > 2) return
      const body = note(
        'drive',
        await send(pick(random, WHO), 'POST', `/drive/v2/drives?requestId=${random()}`, {
          name: pick(random, ['One', 'Two']),
        }),
      )
      if (!body?.id) return
      folders.push(body.id)
      drives.push(body.id)
    },
    async drives() {
      if (drives.length === 0) return
      const body = pick(random, [
        {themeId: 'coffee'},
        {colorRgb: '#102030'},
        {restrictions: {driveMembersOnly: true}},
        {name: 'Renamed'},
      ])
      note(
        'drives',
        await send(pick(random, WHO), 'PUT', `/drive/v2/drives/${pick(random, drives)}`, body),
      )
      note(
        'hide',
        await send(pick(random, WHO), 'POST', `/drive/v2/drives/${pick(random, drives)}/hide`),
      )
    },
    async hidden() {
      keep(
        note(
          'hidden',
          await send('ada@tool', 'POST', FILES, {
            title: 'settings',
            parents: [{id: 'appDataFolder'}],
          }),
        ),
      )
    },
    async pass() {
      service.pass(Math.floor(random() * 10_000_000))
    },
  }
  const names = ['insert', 'insert', 'insert', ...Object.keys(actions)]
  for (let round = 0; round < rounds; round++) await actions[pick(random, names)]!()
  if (seed % 2 === 0) deleteUser(store, userByLogin(store, 'bert')!, service.clock.now())
  createOrganization(store, {name: 'acme', sso: true, drives: drives.slice(0, 1)}, NOW + 5)
  return {statuses, send, ids}
}

/** More of them, by hand: `SEED_RUNS=50`. */
const RUNS = Number(process.env.SEED_RUNS ?? 2)

test.each(Array.from({length: RUNS}, (_, index) => index + 1))(
  'a service after random changes (%i) is made again, field by field',
  async number => {
    const service = await start()
    const {statuses} = await play(service, number, 250)
    if (process.env.SHOW) console.log(statuses)
    const seed = exportSeed(service.store, wholeContent(service.store, 'content', Infinity))
    // As it is written and read again.
    const text = await yamlDocument(seed as Row)
    const again = await start((await readSeed(text, 'seed.yaml')).seed)
    expect(rowsOf(again.store, true)).toEqual(rowsOf(service.store, true))
    expect(exportSeed(again.store, wholeContent(again.store, 'content', Infinity))).toEqual(seed)
  },
)

test('without content, files keep their size', async () => {
  const service = await start({
    files: [
      {title: 'a.txt', id: 'a', text: 'hello'},
      {title: 'b', id: 'b', size: 50_000},
      {title: 'c', id: 'c', mimeType: 'application/vnd.google-apps.document', text: 'x'},
    ],
  })
  const seed = exportSeed(service.store, sizesOnly(service.store))
  expect(seed.users![0]!.files).toMatchObject([
    {title: 'a.txt', size: 5},
    {size: 50_000},
    {source: ''},
  ])
  const again = await start(seed)
  const [one, two] = [rowsOf(service.store, false), rowsOf(again.store, false)]
  // The text of the content is other text.
  expect(two.files!.slice(0, 2)).toEqual(one.files!.slice(0, 2))
})

test('a changed app of drv itself is exported, an unchanged one is not', async () => {
  const service = await start()
  const apps = () => exportSeed(service.store, sizesOnly(service.store)).apps
  expect(apps()).toBeUndefined()
  const {client_id: clientId} = allApps(service.store)[0]!
  updateApp(service.store, clientId, {tokenLifetime: 60_000, deviceFlow: false})
  expect(apps()).toMatchObject([{clientId, expiresIn: 60}])
  const again = await start(exportSeed(service.store, sizesOnly(service.store)))
  const [app] = allApps(service.store)
  expect(allApps(again.store)).toEqual([app])
})
