import {typesModule} from '../../api/document/types/index.js'
import {methodCalled, placedMethods, shortId} from '../../api/document/types/select.js'
import {nearest} from '../../api/nearest.js'
import type {RestDescription} from '../../api/types.js'
import {UsageError} from '../command/errors.js'

/** The TypeScript module for the methods of these names, or for all. Throws `UsageError` for one that there is not. */
export function typesFor(document: RestDescription, names: readonly string[]): string {
  if (names.length === 0) return typesModule(document)
  return typesModule(
    document,
    names.map(name => methodCalled(document, name) ?? unknownMethod(document, name)),
  )
}

function unknownMethod(document: RestDescription, name: string): never {
  const meant = nearest(name, placedMethods(document).map(shortId))
  throw new UsageError(
    `No method of ${document.id} is called "${name}".`,
    meant ? `Did you mean ${meant}?` : '`drv api describe` shows all names.',
  )
}
