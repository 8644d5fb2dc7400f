import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect, onTestFinished, test} from 'vitest'
import {scopes} from '#lib/api/description/scopes.js'
import {BUILTIN_CLIENT_ID} from '#lib/api/wire.js'
import {appById, createApp, factsOf} from '#lib/service/oauth/store/apps.js'
import {authenticate} from '#lib/service/oauth/guard/authenticate.js'
import {mintToken} from '#lib/service/oauth/tokens/minttoken.js'
import {openDatabase} from '#lib/service/store/database/database.js'
import {openStore, type Store} from '#lib/service/store/index.js'
import {attemptsByTime, layouts} from '#lib/service/store/database/migrations.js'
import {userByLogin} from '#lib/service/store/users.js'

const NOW = Date.UTC(2026, 10, 21, 9, 30)

test('a directory of the first layout is brought up to date, with all that is in it', () => {
  const directory = mkdtempSync(join(tmpdir(), 'drv-'))
  onTestFinished(() => rmSync(directory, {recursive: true, force: true}))
  const first = openDatabase(directory, layouts.slice(0, 1))
  const old = {...first, random: (count: number) => Buffer.alloc(count, 7)} as Store
  old.run(
    `INSERT INTO users (id, login, name, email, permission_id, root_id, created_at, updated_at)
     VALUES (7, 'anna', 'Anna', 'anna@example.com', 'p', 'r', 0, 0)`,
  )
  const user = userByLogin(old, 'anna')!
  createApp(old, {name: 'Sync', clientId: 'sync', facts: {primaryMimeTypes: ['text/plain']}}, NOW)
  const token = mintToken(old, {user, clientId: 'sync', scopes: scopes('drive')}, NOW)
  old.run('INSERT INTO attempts VALUES (:subject, :now)', {subject: 'address:::1', now: NOW})
  first.close()

  expect(layouts).toContain(attemptsByTime)
  const store = openStore(directory)
  onTestFinished(() => store.close())
  const version = store.get<{user_version: number}>('PRAGMA user_version')!.user_version
  expect(version).toBe(layouts.length)
  const authorization = `Bearer ${token}`
  expect(authenticate(store, {authorization}, NOW + 1).user.login).toBe('anna')
  expect(factsOf(appById(store, 'sync')!)).toEqual({primaryMimeTypes: ['text/plain']})
  expect(appById(store, 'sync')!.device_flow).toBe(0)
  expect(appById(store, BUILTIN_CLIENT_ID)!.device_flow).toBe(1)
  expect(store.all("PRAGMA index_list('attempts')")).toContainEqual(
    expect.objectContaining({name: 'attempts_by_time'}),
  )
})
