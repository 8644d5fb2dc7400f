import {describe, expect, test} from 'vitest'
import {type ScopeName, scopes} from '#lib/api/description/scopes.js'
import {operation} from '#lib/api/operations.js'
import {BUILTIN_CLIENT_ID} from '#lib/api/wire.js'
import type {Call, Params} from '#lib/service/call.js'
import {FileServiceError} from '#lib/service/errors.js'
import {appsHandlers} from '#lib/service/handlers/apps.js'
import {appById, type AppFacts, createApp} from '#lib/service/oauth/store/apps.js'
import {mintToken} from '#lib/service/oauth/tokens/mint-token.js'
import {isAppSecret} from '#lib/service/oauth/tokens/secrets.js'
import {runAllSlices} from '#lib/service/store/database/slices.js'
import {ensureUser} from '#lib/service/store/users.js'
import {openTestStore} from './oauth/calls.js'

const NOW = Date.UTC(2026, 10, 21, 9, 30)

function start() {
  const store = openTestStore()
  const user = ensureUser(store, 'anna', NOW)
  const make = (clientId: string, facts: AppFacts = {}) =>
    createApp(store, {name: clientId, clientId, facts}, NOW)
  const install = (clientId: string, ...names: ScopeName[]) =>
    mintToken(store, {user, clientId, scopes: scopes(...names)}, NOW)
  const call = <Id extends 'apps.get' | 'apps.list'>(id: Id, params: Params<Id>): Call<Id> => ({
    user,
    tokenId: 1,
    scopes: new Set(scopes('drive', 'drive.apps.readonly')),
    operation: operation(id),
    params,
    common: {},
    given: [],
    body: {},
    alt: 'json',
    headers: {},
    origin: 'http://127.0.0.1:4000',
    store,
    now: NOW,
    afterCommit: work => work(),
    inSlices: runAllSlices,
  })
  const get = (appId: string) => appsHandlers['apps.get'](call('apps.get', {appId}))
  const list = (params: Partial<Params<'apps.list'>> = {}) =>
    appsHandlers['apps.list'](
      call('apps.list', {
        appFilterExtensions: '',
        appFilterMimeTypes: '',
        languageCode: undefined,
        ...params,
      }),
    ) as unknown as {items: {id: string; name: string}[]; defaultAppIds: string[]; etag: string}
  const ids = (params?: Partial<Params<'apps.list'>>) => list(params).items.map(({id}) => id)
  return {store, make, install, get, list, ids}
}

describe('apps.get', () => {
  test('shows the capabilities of the app, and the access that the user granted', () => {
    const {make, install, get} = start()
    make('sync', {
      primaryMimeTypes: ['text/plain'],
      createUrl: 'https://sync.example/new',
      icons: [{category: 'application', iconUrl: 'https://sync.example/16.png', size: 16}],
    })
    expect(get('sync')).toMatchObject({
      kind: 'drive#app',
      id: 'sync',
      name: 'sync',
      installed: false,
      authorized: false,
      hasDriveWideScope: false,
      supportsCreate: true,
      supportsImport: false,
      primaryMimeTypes: ['text/plain'],
      secondaryMimeTypes: [],
      icons: [{size: 16}],
    })
    install('sync', 'drive.file')
    expect(get('sync')).toMatchObject({installed: true, authorized: true, hasDriveWideScope: false})
    install('sync', 'drive.readonly')
    expect(get('sync')).toMatchObject({hasDriveWideScope: true})
  })

  test('knows the app of drv, and refuses unknown ones', () => {
    const {get} = start()
    expect(get(BUILTIN_CLIENT_ID)).toMatchObject({name: 'drv', installed: false})
    expect(() => get('nobody')).toThrow(FileServiceError)
    expect(() => get('nobody')).toRead()
  })
})

describe('apps.list', () => {
  test('shows the apps that have a token of the user', () => {
    const {store, make, install, ids} = start()
    make('a')
    make('b')
    expect(ids()).toEqual([])
    install('b')
    const bert = ensureUser(store, 'bert', NOW)
    mintToken(store, {user: bert, clientId: 'a', scopes: []}, NOW)
    expect(ids()).toEqual(['b'])
  })

  test('filters by extension or by type: either one is sufficient', () => {
    const {make, install, ids} = start()
    make('text', {primaryFileExtensions: ['txt'], primaryMimeTypes: ['text/plain']})
    make('image', {secondaryFileExtensions: ['PNG'], secondaryMimeTypes: ['image/png']})
    make('none')
    for (const id of ['text', 'image', 'none']) install(id)
    expect(ids()).toEqual(['image', 'none', 'text'])
    expect(ids({appFilterExtensions: 'txt'})).toEqual(['text'])
    expect(ids({appFilterExtensions: '.png, md'})).toEqual(['image'])
    expect(ids({appFilterMimeTypes: 'Text/Plain'})).toEqual(['text'])
    expect(ids({appFilterExtensions: 'png', appFilterMimeTypes: 'text/plain'})).toEqual([
      'image',
      'text',
    ])
    expect(ids({appFilterExtensions: 'md'})).toEqual([])
  })

  test('lists the default apps, the most important one last', () => {
    const {make, install, list} = start()
    for (const id of ['a', 'b', 'c']) make(id, {useByDefault: id !== 'b'})
    for (const id of ['c', 'b', 'a']) install(id)
    const first = list()
    expect(first.defaultAppIds).toEqual(['c', 'a'])
    install('c')
    expect(list().defaultAppIds).toEqual(['a', 'c'])
    expect(list().etag).not.toBe(first.etag)
  })

  test('uses the requested language if the app supports it', () => {
    const {make, install, list} = start()
    make('sync', {
      shortDescription: 'Keeps in step.',
      translations: {de: {name: 'Abgleich'}, 'pt-BR': {shortDescription: 'Em sintonia.'}},
    })
    install('sync')
    const texts = (languageCode: string) => list({languageCode}).items[0]
    expect(texts('de-AT')).toMatchObject({name: 'Abgleich', shortDescription: 'Keeps in step.'})
    expect(texts('pt-br')).toMatchObject({name: 'sync', shortDescription: 'Em sintonia.'})
    expect(texts('fr')).toMatchObject({name: 'sync'})
    expect(() => texts('not a language')).toThrow('Invalid Value')
  })
})

test('the secret of an app is stored as a hash, and a public app has none', () => {
  const {store} = start()
  const {clientId, secret} = createApp(store, {name: 'Sync'}, NOW)
  const app = appById(store, clientId)!
  expect(JSON.stringify(app)).not.toContain(secret)
  expect([isAppSecret(app, secret), isAppSecret(app, 'x'), isAppSecret(app, undefined)]).toEqual([
    true,
    false,
    false,
  ])
  const open = createApp(store, {name: 'Open', isPublic: true}, NOW)
  expect(open.secret).toBeUndefined()
  expect(isAppSecret(appById(store, open.clientId)!, '')).toBe(false)
})
