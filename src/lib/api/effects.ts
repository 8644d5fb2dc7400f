import {scopes} from './description/scopes.js'
import type {Operation} from './operations.js'

/** The scope of whoever may read everything, and change nothing. */
const READING = scopes('drive.readonly')

/**
 * Whether an operation changes something: all do but those that are a GET, and those for which a
 * token that only reads is enough, such as to be told of changes. The other scopes in whose name
 * `readonly` stands say nothing of it: they are also among those that make a file, or copy one.
 */
export function changesSomething({
  httpMethod,
  scopes,
}: Pick<Operation, 'httpMethod' | 'scopes'>): boolean {
  return httpMethod !== 'GET' && !scopes.some(scope => READING.includes(scope))
}
