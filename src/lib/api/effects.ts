import {scopes} from './description/scopes.js'
import {knownOperation, type Operation} from './operations.js'

/** The methods of HTTP that a description may name (spec: description-format.md, "Method object"). */
export const HTTP_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const

/** Methods that only read (RFC 9110, section 9.2.1). */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Whether a method of HTTP only reads. */
export function isSafeMethod(httpMethod: string): boolean {
  return SAFE.has(httpMethod)
}

/** The scope that lets a token read everything, and change nothing. */
const READING = scopes('drive.readonly')

/**
 * Whether an operation changes something: all do but those that only read by their method, and those of
 * the built-in description for which a token that only reads is enough, such as watching for changes. The
 * other scopes with `readonly` in their name say nothing: they are also among those that make or copy a
 * file. Nor do the scopes that another description names.
 */
export function changesSomething(operation: Operation): boolean {
  if (isSafeMethod(operation.httpMethod)) return false
  const {scopes: accepted = []} = knownOperation(operation) ?? {}
  return !accepted.some(scope => READING.includes(scope))
}
