import {membersIn, placeBelow, textIn} from './values.js'

/** What the names in a part of a document can mean. */
export interface Facts {
  /** The root address and the service's path below it, as far as the document has them. */
  readonly rootUrl: string
  readonly servicePath: string
  readonly schemas: ReadonlySet<string>
  readonly scopes: ReadonlySet<string>
  /** By its place, the id that follows from a method's place in the tree, where the API has a name. */
  readonly treeIds: ReadonlyMap<string, string>
  /** The first place of every method id. */
  readonly methods: ReadonlyMap<string, string>
}

/** Reads what there is, and passes by what has the wrong shape. */
export function factsOf(json: unknown): Facts {
  const all = membersIn(json)
  const api = textIn(all.name)
  const treeIds = new Map<string, string>()
  const methods = new Map<string, string>()
  const look = (level: unknown, place: string, prefix: string) => {
    const {methods: here, resources} = membersIn(level)
    for (const [name, method] of Object.entries(membersIn(here))) {
      const at = placeBelow(placeBelow(place, 'methods'), name)
      if (api) treeIds.set(at, prefix + name)
      const id = textIn(membersIn(method).id) ?? prefix + name
      if (!methods.has(id)) methods.set(id, at)
    }
    for (const [name, resource] of Object.entries(membersIn(resources))) {
      look(resource, placeBelow(placeBelow(place, 'resources'), name), `${prefix}${name}.`)
    }
  }
  look(all, '', api ? `${api}.` : '')
  return {
    rootUrl: textIn(all.rootUrl) ?? '',
    servicePath: textIn(all.servicePath) ?? '',
    schemas: new Set(Object.keys(membersIn(all.schemas))),
    scopes: new Set(Object.keys(membersIn(membersIn(membersIn(all.auth).oauth2).scopes))),
    treeIds,
    methods,
  }
}
