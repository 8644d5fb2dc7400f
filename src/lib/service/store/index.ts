import {randomBytes} from 'node:crypto'
import {join} from 'node:path'
import {openContent, type ContentStore} from './content.js'
import {openDatabase, type Database} from './database.js'
import type {Random} from './ids.js'
import {layouts} from './migrations.js'
import {withSmallContent} from './small.js'
import {createWriteTogether, type WriteTogether} from './together.js'

/** The state of one data directory: its database and its content files. */
export interface Store extends Database {
  readonly directory: string
  readonly content: ContentStore
  readonly random: Random
  /** For writes that may share a transaction with others. */
  readonly writeTogether: WriteTogether
}

/** Opens a data directory, making it where it is missing. `random` is injected by tests. */
export function openStore(directory: string, random: Random = randomBytes): Store {
  const database = openDatabase(directory, layouts)
  const files = openContent(join(directory, 'content'), random)
  const content = withSmallContent(files, database, join(directory, 'drv.db'), random)
  const writeTogether = createWriteTogether(database)
  return {...database, directory, content, random, writeTogether}
}
