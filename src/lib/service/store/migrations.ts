import {oauthTables} from '../oauth/schema.js'
import {fileTables} from './schema.js'

/** The layouts of a database by version, oldest first: each makes the next one out of the one before. */
export const layouts: readonly string[] = [fileTables + oauthTables]
