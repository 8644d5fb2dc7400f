import {DocumentError} from '#lib/api/document/read.js'
import {typesModule} from '#lib/api/document/types/index.js'
import {placedMethods} from '#lib/api/document/types/select.js'
import {operationsOf} from '#lib/api/operations.js'
import type {RestDescription} from '#lib/api/types.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {methodNamed, refuseFault} from './methods.js'

/**
 * The TypeScript module for the methods of these names, or for all. Throws `UsageError` for a name that no
 * method has, and for a method that cannot be called.
 */
export function typesFor(document: RestDescription, names: readonly string[]): string {
  const chosen = names.map(name => methodNamed(document, name))
  for (const method of names.length === 0 ? operationsOf(document) : chosen) refuseFault(method)
  const ids = new Set(chosen.map(({id}) => id))
  const placed = placedMethods(document).filter(({method}) => ids.has(method.id))
  try {
    return typesModule(document, names.length === 0 ? undefined : placed)
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error
    throw new UsageError(`No types can be written: ${error.message}`, 'Name some of its methods.')
  }
}
