import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {viewOf} from '#lib/service/changes/following.js'
import {largestChangeId, readChanges} from '#lib/service/store/changelog.js'
import {recordChange} from '#lib/service/store/changes.js'
import {type Database, openDatabase} from '#lib/service/store/database/database.js'
import {openStore, type Store} from '#lib/service/store/index.js'
import {changesByView, layouts} from '#lib/service/store/database/migrations.js'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'drv-'))
})
afterEach(() => rmSync(directory, {recursive: true, force: true}))

/** Writes a data directory of the layouts before this one, and opens it with this one and all later. */
function upgraded(migration: string, write: (database: Database) => void): Store {
  const old = openDatabase(directory, layouts.slice(0, layouts.indexOf(migration)))
  write(old)
  old.close()
  return openStore(directory)
}

describe('changes by view', () => {
  /** What lists read before, for the same three followers of a line. */
  function readBefore(database: Database, line: string, subscribed: boolean, drives: boolean) {
    const rows = database.all<{id: number}>(
      `SELECT id FROM changes WHERE audience = :line AND (:drives = 1 OR drive_id IS NULL)
       AND (:subscribed = 1 OR top_id = 'root-7') ORDER BY id`,
      {line, subscribed: Number(subscribed), drives: Number(drives)},
    )
    return rows.map(({id}) => id)
  }

  const followers = [
    ['user:7', false, false],
    ['user:7', false, true],
    ['user:7', true, false],
    ['user:7', true, true],
    ['drive:D', true, true],
  ] as const

  function write(database: Database): void {
    for (const id of [7, 8]) {
      database.run(
        `INSERT INTO users (id, login, name, email, permission_id, root_id, created_at, updated_at)
         VALUES (:id, :name, :name, :name, :name, :root, 0, 0)`,
        {id, name: `u${id}`, root: `root-${id}`},
      )
      database.run(
        `INSERT INTO files (id, owner_id, title, title_key, title_words, mime_type, created_at, modified_at)
         VALUES (:root, :id, '', '', '', '', 0, 0)`,
        {id, root: `root-${id}`},
      )
    }
    const change = (line: string, type: string, drive: string | null, top: string, removed = 0) =>
      database.run(
        `INSERT INTO changes (audience, type, item_id, drive_id, top_id, client_id, removed, changed_at)
         VALUES (:line, :type, 'i' || (SELECT count(*) FROM changes), :drive, :top, 'app', :removed, 5)`,
        {line, type, drive, top, removed},
      )
    change('user:7', 'file', null, 'root-7')
    change('user:7', 'file', null, 'root-8')
    change('user:8', 'file', null, 'root-8')
    change('user:7', 'file', null, 'appdata', 1)
    change('user:7', 'file', 'D', 'D')
    change('drive:D', 'file', 'D', 'D')
    change('user:7', 'drive', 'D', 'D')
    change('user:7', 'file', null, 'root-7', 1)
    // Moved out of the drive: the row said where the item went.
    change('drive:D', 'file', null, 'root-7', 1)
    change('user:8', 'file', null, 'root-8')
    database.run('DELETE FROM changes WHERE id = 10')
  }

  test('a follower with an old token reads on as before', () => {
    let before: number[][] = []
    const store = upgraded(changesByView, database => {
      write(database)
      before = followers.map(([line, subscribed, drives]) =>
        readBefore(database, line, subscribed, drives),
      )
    })
    const after = followers.map(([line, subscribed, drives]) =>
      readChanges(store, {line, view: viewOf(subscribed, drives), removals: true}, 0, 100).map(
        ({id}) => id,
      ),
    )
    expect(after).toEqual(before)
    expect(after.map(ids => ids.length)).toEqual([2, 2, 4, 6, 2])
    const [first] = readChanges(store, {line: 'user:7', view: 1, removals: true}, 0, 1)
    expect(first).toMatchObject({
      id: 1,
      type: 'file',
      item_id: 'i0',
      drive_id: null,
      space: 'drive',
      top_id: 'root-7',
      client_id: 'app',
      removed: 0,
      changed_at: 5,
    })
    store.close()
  })

  test('numbers go on behind the last one, also one whose row is gone', () => {
    const store = upgraded(changesByView, write)
    expect(largestChangeId(store)).toBe(10)
    store.write(() => recordChange(store, 6, 'root-7', 'update'))
    expect(largestChangeId(store)).toBe(11)
    store.close()
  })

  test('channels go on to hear of what they heard of', () => {
    const store = upgraded(changesByView, database => {
      const channel = (id: string, audience: string | null, params: string) =>
        database.run(
          `INSERT INTO channels (id, user_id, client_id, resource_id, resource_uri, audience, file_id,
             params, address, expires_at) VALUES (:id, 7, '', '', '', :audience, 'f', :params, '', 1)`,
          {id, audience, params},
        )
      channel('a', 'user:7', '{"sharedDrives":false,"removals":true}')
      channel('b', 'drive:D', '{"sharedDrives":true,"removals":false,"spaces":["drive"]}')
      channel('c', null, '{}')
    })
    const params = store.all<{params: string}>('SELECT params FROM channels ORDER BY id')
    expect(params.map(row => JSON.parse(row.params) as unknown)).toEqual([
      {view: 2, removals: true},
      {view: 3, removals: false, spaces: ['drive']},
      {},
    ])
    store.close()
  })

  test('a fresh directory has what an upgraded one has', () => {
    upgraded(changesByView, write).close()
    const fresh = mkdtempSync(join(tmpdir(), 'drv-'))
    const layoutOf = (path: string) => {
      const store = openStore(path)
      const rows = store.all<{name: string; sql: string | null}>(
        'SELECT name, sql FROM sqlite_schema ORDER BY name',
      )
      store.close()
      return rows
    }
    expect(layoutOf(directory)).toEqual(layoutOf(fresh))
    rmSync(fresh, {recursive: true})
  })
})
