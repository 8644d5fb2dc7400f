import {typesModule} from '../../api/document/types/index.js'
import {placedMethods} from '../../api/document/types/select.js'
import type {RestDescription} from '../../api/types.js'
import {methodNamed} from './methods.js'

/** The TypeScript module for the methods of these names, or for all. Throws `UsageError` for one that there is not. */
export function typesFor(document: RestDescription, names: readonly string[]): string {
  if (names.length === 0) return typesModule(document)
  const ids = new Set(names.map(name => methodNamed(document, name).id))
  return typesModule(
    document,
    placedMethods(document).filter(({method}) => ids.has(method.id)),
  )
}
