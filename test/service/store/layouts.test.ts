import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {DataError} from '#lib/platform/setup-error.js'
import {type Database, openDatabase} from '#lib/service/store/database/database.js'
import {layouts, versionWith} from '#lib/service/store/database/layout.js'
import {openStore} from '#lib/service/store/index.js'
import {createUser, userByLogin} from '#lib/service/store/users.js'

/** A directory with an older layout is migrated step by step. */

/** A migration that keeps the data in another form. */
const STEP = `
ALTER TABLE users ADD COLUMN nickname TEXT NOT NULL DEFAULT '';
UPDATE users SET nickname = upper(login);
CREATE TABLE notes (id INTEGER PRIMARY KEY) STRICT;`

/** The current version. */
const VERSION = versionWith(layouts)

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'drv-'))
  const store = openStore(directory)
  createUser(store, {login: 'ada'}, 0)
  store.close()
})
afterEach(() => rmSync(directory, {recursive: true, force: true}))

function within<T>(steps: readonly string[], work: (database: Database) => T, path = directory): T {
  const database = openDatabase(path, [...layouts, ...steps])
  try {
    return work(database)
  } finally {
    database.close()
  }
}

const versionOf = ({get}: Database) =>
  get<{user_version: number}>('PRAGMA user_version')!.user_version
const layoutOf = ({all}: Database) =>
  all<{name: string; sql: string | null}>('SELECT name, sql FROM sqlite_schema ORDER BY name')

function setVersion(version: number): void {
  within([], ({all}) => all(`PRAGMA user_version = ${version}`))
}

describe('a migration', () => {
  test('runs once, and keeps existing data', () => {
    for (const _ of [1, 2]) {
      const users = within([STEP], ({all}) => all('SELECT login, nickname FROM users'))
      expect(users).toEqual([{login: 'ada', nickname: 'ADA'}])
    }
    expect(within([STEP], versionOf)).toBe(VERSION + 1)
    within([STEP, "UPDATE users SET nickname = nickname || '!'"], ({get}) =>
      expect(get('SELECT nickname FROM users')).toMatchObject({nickname: 'ADA!'}),
    )
  })

  test('makes an old directory equal to a new one', () => {
    const fresh = mkdtempSync(join(tmpdir(), 'drv-'))
    try {
      expect(within([STEP], layoutOf)).toEqual(within([STEP], layoutOf, fresh))
      expect(within([STEP], versionOf)).toEqual(within([STEP], versionOf, fresh))
    } finally {
      rmSync(fresh, {recursive: true})
    }
  })

  test('that fails leaves everything unchanged, including other migrations', () => {
    const before = within([], layoutOf)
    expect(() => within([STEP, 'CREATE TABLE users (id)'], () => undefined)).toThrow('users')
    expect(within([], layoutOf)).toEqual(before)
    expect(within([], versionOf)).toBe(VERSION)
    const store = openStore(directory)
    expect(userByLogin(store, 'ada')).toBeDefined()
    store.close()
  })
})

test.each([
  ['a newer drv', VERSION + 1],
  ['a drv from before the first release', 7],
  ['a drv from before the first release', 1],
])('data of %s (version %i) is refused', (_, version) => {
  setVersion(version)
  const open = () => openStore(directory)
  expect(open).toThrow(DataError)
  expect(open).toRead()
})
