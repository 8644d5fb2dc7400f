import {parseQuery} from '#lib/api/query/parse.js'
import {type Query, QueryError} from '#lib/api/query/query.js'
import {invalidValue} from '#lib/service/errors.js'

/** The most terms of one query: SQLite bounds the size of a statement. */
const MAX_TERMS = 300

/** The query in the `q` of a request; `undefined` for an empty one. Throws 400 `invalid` at `q`. */
export function readQuery(text: string | undefined): Query | undefined {
  try {
    return parseQuery(text ?? '', {mostTerms: MAX_TERMS})
  } catch (error) {
    throw error instanceof QueryError ? invalidValue('q') : error
  }
}
