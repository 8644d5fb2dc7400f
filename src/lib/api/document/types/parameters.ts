import type {SchemaMap} from '../../types.js'
import {cleanSchemas} from './clean.js'
import {comment, indented} from './layout.js'
import {capitalised, literal, typeName} from './names.js'
import {members, type Writing} from './schemas.js'
import {type PlacedMethod, shortId} from './select.js'

/** The interface of a method's own parameters, which adds them to the common ones. */
export function parametersInterface(
  placed: PlacedMethod,
  name: string,
  common: SchemaMap,
  types: Writing['types'],
): string {
  const own = parametersOf(placed)
  const again = Object.keys(own).filter(known => Object.hasOwn(common, known))
  const base =
    again.length > 0
      ? `Omit<CommonParameters, ${again.map(literal).join(' | ')}>`
      : 'CommonParameters'
  const parent = Object.keys(common).length > 0 ? ` extends ${base}` : ''
  const head = comment([`Parameters of ${shortId(placed)}.`], 0)
  const inner = indented(members(own, {types, isSent: true}, 2))
  return `${head}export interface ${name}${parent} {\n${inner}}\n`
}

/** The name that the interface of a method's parameters would have: `FilesListParameters`. */
export function parametersName({place, name}: PlacedMethod): string {
  return typeName(`${[...place, name].map(word => capitalised(typeName(word))).join('')}Parameters`)
}

/** A method's parameters; what stands in its path is there and required, whatever the document says. */
export function parametersOf({method}: PlacedMethod): SchemaMap {
  const given = cleanSchemas(method.parameters)
  const named = Object.fromEntries(
    pathNames(method.path).map(name => {
      const schema = Object.hasOwn(given, name) ? given[name] : {type: 'string' as const}
      return [name, {...schema, required: true}]
    }),
  )
  return {...named, ...given, ...named}
}

function pathNames(path: string): string[] {
  return [...path.matchAll(/\{\+?([^{}]+)\}/g)].map(([, name = '']) => name)
}
