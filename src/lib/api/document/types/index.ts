import {methodsOf, type Place, type PlacedMethod} from '#lib/api/document/walk.js'
import type {Resource, RestDescription} from '#lib/api/types.js'
import {comment, indented, key, literal, oneLine, uniqueNames} from './layout.js'
import {methodFunctions} from './methods.js'
import {type Module, moduleOf, runtime} from './module.js'
import {declaration, members, parametersInterface} from './schemas.js'

/**
 * A TypeScript module is written from a description here: types of its schemas and a function for
 * each method. Nothing here reads or writes a file, and nothing of the module is used by drv itself.
 */

/**
 * The module for some methods and the schemas that they reach, or for all there is. The same
 * document always gives the same text, whatever its names and descriptions hold.
 */
export function typesModule(document: RestDescription, chosen?: readonly PlacedMethod[]): string {
  const module = moduleOf(document, chosen)
  const {common, schemas, types, parameters, methods} = module
  const schemaTypes = Object.entries(schemas).map(([name, schema]) =>
    declaration(types.get(name)!, schema, {types, isSent: false}),
  )
  const revision = document.revision && `, revision ${document.revision}`
  const header = oneLine(`Made by \`drv api types\` from ${document.id}${revision}.`)
  if (module.chosen.size === 0) return sections([`// ${header}\n`, ...schemaTypes, 'export {}\n'])
  return sections([
    `// ${header}\n`,
    ...schemaTypes,
    commonInterface(module),
    ...methods.flatMap(placed => {
      const name = parameters.get(placed.method)
      return name === undefined ? [] : [parametersInterface(placed, name, common, types)]
    }),
    clientFunction(module),
    `${runtime}\n`,
  ])
}

function sections(texts: readonly string[]): string {
  return texts.filter(text => text !== '').join('\n')
}

function commonInterface({common, types}: Module): string {
  if (Object.keys(common).length === 0) return ''
  const about = 'What every method takes, but for what the client sets itself.'
  const inner = indented(members(common, {types, isSent: true}, 2))
  return `${comment([about], 0)}export interface CommonParameters {\n${inner}}\n`
}

/** What people start from: an object of functions, in the tree of the document's resources. */
function clientFunction(module: Module): string {
  const {document} = module
  const head = comment([`The methods of ${document.title || document.id}.`], 0)
  const tree = indented(functions(document, module, 2), 2)
  return [
    `${head}export function createClient(options: ClientOptions = {}) {`,
    `  const api = connect(${literal(document.rootUrl)}, options)`,
    `  return {\n${tree}  }\n}\n`,
    `export type Client = ReturnType<typeof createClient>\n`,
  ].join('\n')
}

/** The members for a resource: its methods, and objects of the resources below it. */
function functions(
  group: Pick<RestDescription | Resource, 'methods' | 'resources'>,
  module: Module,
  depth: number,
  place: Place = [],
): string {
  const own = methodsOf(module.document, place, group).filter(({method}) =>
    module.chosen.has(method),
  )
  const unique = uniqueNames(own.map(placed => placed.place.at(-1)!))
  const written = own.flatMap(placed => methodFunctions(placed, module, unique, depth * 2))
  const below = Object.entries(group.resources ?? {}).flatMap(([name, resource]) => {
    const inner = functions(resource, module, depth + 1, [...place, 'resources', name])
    if (inner === '') return []
    const head = comment([], depth * 2, resource.deprecated === true ? ['@deprecated'] : [])
    return [`${head}${key(unique(name))}: {\n${indented(inner)}},\n`]
  })
  return [...written, ...below].join('')
}
