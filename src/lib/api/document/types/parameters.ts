import {cleanSchemas} from '#lib/api/document/clean.js'
import type {SchemaMap} from '#lib/api/types.js'
import {alternatives, comment, indented, WIDTH} from './layout.js'
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
  const head = comment([`Parameters of ${shortId(placed)}.`], 0)
  const inner = indented(members(own, {types, isSent: true}, 2))
  return `${head}${opening(name, Object.keys(common), Object.keys(own))}\n${inner}}\n`
}

/** A method's own parameter takes the place of a common one of that name. */
function opening(name: string, common: readonly string[], own: readonly string[]): string {
  const again = own.filter(known => common.includes(known)).map(literal)
  if (common.length === 0) return `export interface ${name} {`
  if (again.length === 0) return `export interface ${name} extends CommonParameters {`
  const start = `export interface ${name} extends Omit<`
  const line = `${start}CommonParameters, ${again.join(' | ')}> {`
  if (line.length <= WIDTH) return line
  const rest = alternatives(again, 2, 0)
  return `${start}\n  CommonParameters,\n  ${indented(rest).trimStart()}\n> {`
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
