import type {Method, RestDescription, Schema, SchemaMap} from '#lib/api/types.js'
import type {Way} from './changes.js'

/** Which schemas go to a service, and which come from it. */

/** A document, and all of its methods. */
export interface Side {
  readonly document: RestDescription
  readonly methods: readonly Method[]
}

/** The ways of each schema in either document. What no method names may go both ways. */
export function waysOf(sides: readonly Side[]): (name: string) => Way {
  const sent = new Set(sides.flatMap(side => reach(side, ({request}) => request?.$ref)))
  const answered = new Set(sides.flatMap(side => reach(side, ({response}) => response?.$ref)))
  return name => {
    const isUsed = sent.has(name) || answered.has(name)
    return {isSent: !isUsed || sent.has(name), isAnswered: !isUsed || answered.has(name)}
  }
}

/** The schemas that some methods name, and those that these name. */
function reach({document, methods}: Side, named: (method: Method) => string | undefined): string[] {
  const all = new Set(methods.flatMap(method => named(method) ?? []))
  // A set that grows is gone through to its end.
  for (const name of all) {
    for (const inner of namesIn(memberOf(document.schemas, name))) all.add(inner)
  }
  return [...all]
}

function namesIn(schema: Schema | undefined): string[] {
  if (!schema) return []
  const {$ref, properties = {}, items, additionalProperties} = schema
  const inner = [...Object.values(properties), items, additionalProperties].flatMap(namesIn)
  return $ref === undefined ? inner : [$ref, ...inner]
}

function memberOf(schemas: SchemaMap, name: string): Schema | undefined {
  return Object.hasOwn(schemas, name) ? schemas[name] : undefined
}
