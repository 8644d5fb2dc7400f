import {oauthTables} from '../oauth/schema.js'
import {fileTables} from './schema.js'

/** Attempts that are too old to count are found without looking through all of them. */
export const attemptsByTime = `
CREATE INDEX attempts_by_time ON attempts(at);
`

/** The layouts of the database by version, the oldest first. What stands here once never changes. */
export const layouts: readonly string[] = [fileTables + oauthTables, attemptsByTime]
