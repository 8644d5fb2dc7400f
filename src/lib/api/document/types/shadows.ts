import type {Method} from '../../types.js'
import type {PlacedMethod} from './select.js'

/**
 * Values that a parameter of the path must not have, as literal paths go before templates (reference:
 * description-format.md, section 5): with `files/{fileId}`, DELETE of `trash` empties the trash.
 */
export function shadowedValues(
  {path}: Method,
  methods: readonly PlacedMethod[],
): Readonly<Record<string, readonly string[]>> {
  const segments = path.split('/')
  const found = segments.flatMap((segment, at): Array<[string, string[]]> => {
    const [, name] = /^\{([^{}+]+)\}$/.exec(segment) ?? []
    if (name === undefined) return []
    const values = methods
      .map(({method}) => method.path.split('/'))
      .filter(other => other.length === segments.length && !isTemplate(other[at]!))
      .filter(other => segments.every((own, index) => index === at || agree(own, other[index]!)))
      .map(other => other[at]!)
    return values.length > 0 ? [[name, [...new Set(values)]]] : []
  })
  return Object.fromEntries(found)
}

/** Whether two segments can be the same in an address. */
function agree(one: string, other: string): boolean {
  return one === other || isTemplate(one) || isTemplate(other)
}

function isTemplate(segment: string): boolean {
  return segment.includes('{')
}
