import {randomUUID} from 'node:crypto'
import Sqlite from 'libsql'
import type {Database} from './database.js'
import {column} from './rows.js'

/** A copy of all rows of a database, to restore it later. */
export interface DatabaseSnapshot {
  /** Replaces all rows by those of the copy, in one transaction. */
  restore(): void
  /** Frees the copy. */
  close(): void
}

/** The index of words, which its own statements empty and fill again. */
const INDEX = 'text_words'

/** Copies all rows. The copy is in the file `path`, which must not exist, or in memory. */
export function snapshotDatabase(database: Database, path?: string): DatabaseSnapshot {
  const address = path ?? `file:drv-${randomUUID()}?mode=memory&cache=shared`
  // A database in memory lasts as long as its first connection.
  const holder = path === undefined ? new Sqlite(address) : undefined
  database.exec(`VACUUM INTO ${quoted(address)}`)
  return {
    restore: () => restoreFrom(database, address),
    close: () => void holder?.close(),
  }
}

function restoreFrom(database: Database, address: string): void {
  database.exec(`ATTACH ${quoted(address)} AS snapshot`)
  // Rows are copied as they are, so neither the checks nor the triggers apply.
  database.exec('PRAGMA foreign_keys = OFF')
  try {
    database.write(() => {
      const triggers = database.all<{name: string; sql: string}>(
        "SELECT name, sql FROM main.sqlite_master WHERE type = 'trigger'",
      )
      for (const {name} of triggers) database.exec(`DROP TRIGGER ${name}`)
      for (const table of tablesOf(database)) {
        database.exec(`DELETE FROM main.${table}`)
        database.exec(`INSERT INTO main.${table} SELECT * FROM snapshot.${table}`)
      }
      for (const step of ['delete-all', 'rebuild']) {
        database.exec(`INSERT INTO ${INDEX} (${INDEX}) VALUES ('${step}')`)
      }
      for (const {sql} of triggers) database.exec(sql)
    })
  } finally {
    database.exec('PRAGMA foreign_keys = ON')
    database.exec('DETACH snapshot')
  }
}

/** The tables with rows of their own, and the last used keys. */
function tablesOf(database: Database): readonly string[] {
  return column<string>(
    database,
    `SELECT name FROM main.sqlite_master WHERE type = 'table' AND name NOT LIKE '${INDEX}%'`,
  )
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
