import {randomBytes} from 'node:crypto'
import {join} from 'node:path'
import {oauthTables} from '../oauth/schema.js'
import {openContent, type ContentStore} from './content.js'
import {openDatabase, type Database} from './database.js'
import {prepareDirectory} from './directory.js'
import {inWordsOf, telling} from './disk.js'
import type {Random} from './ids.js'
import {fileTables} from './schema.js'
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

/**
 * Opens a data directory, making it where it is missing. `random` is injected by tests. Throws
 * `DataError` for one that cannot be used, and so do all who read and write the database later.
 */
export function openStore(directory: string, random: Random = randomBytes): Store {
  prepareDirectory(directory)
  return telling(directory, () => open(directory, random))
}

function open(directory: string, random: Random): Store {
  const database = inWordsOf(directory, openDatabase(directory, [fileTables + oauthTables]))
  const files = openContent(join(directory, 'content'), random)
  const content = withSmallContent(files, database, random)
  const writeTogether = createWriteTogether(database)
  return {...database, directory, content, random, writeTogether}
}
