import {own} from '#lib/platform/values.js'

/**
 * Path templates of a description: RFC 6570 level 1, `{x}`, and `{+x}` of level 2
 * (reference: description-format.md, section 5).
 */

/** Thrown when a path cannot be built: with such a value it would be that of another operation. */
export class TemplateError extends Error {
  /** `problem` fits behind the name of the parameter. */
  constructor(parameter: string, problem: string) {
    super(`${parameter} ${problem}.`)
    this.name = 'TemplateError'
  }
}

/** Percent-encodes everything but the unreserved characters of RFC 3986, as UTF-8. */
export function encodeSegment(value: string): string {
  return encodeURIComponent(value).replace(
    /[!'()*]/g,
    char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** The same, but what is encoded already stays, and what is reserved without ending a path. */
function encodeReserved(value: string): string {
  return value
    .split(/(%[\dA-Fa-f]{2}|[:/[\]@!$&'()*+,;=])/)
    .map((part, index) => (index % 2 === 1 ? part : encodeSegment(part)))
    .join('')
}

/**
 * Fills `{name}` and `{+name}` from `values`; throws `TemplateError` for a missing or empty value. What else no
 * value may be depends on the other paths: `pathProblem`.
 */
export function expandPath(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\+?)([^{}]+)\}/g, (_, plus: string, name: string) => {
    const value = own(values, name)
    if (!value) throw new TemplateError(name, 'must not be empty')
    return plus ? encodeReserved(value) : encodeSegment(value)
  })
}

/**
 * The values of a template's names in a path, decoded, or `undefined` when the path does not fit.
 * Segments are compared while encoded, so an encoded `/` never splits one.
 */
export function matchPath(template: string, path: string): Record<string, string> | undefined {
  const expected = template.split('/')
  const actual = path.split('/')
  if (expected.length !== actual.length) return undefined
  const values: Record<string, string> = {}
  for (const [index, part] of expected.entries()) {
    const name = /^\{(\w+)\}$/.exec(part)?.[1]
    const segment = decodeSegment(actual[index]!)
    if (segment === undefined) return undefined
    if (name === undefined ? segment !== part : segment === '') return undefined
    if (name !== undefined) values[name] = segment
  }
  return values
}

/** How many segments of a template are literal: of two templates that fit, the more literal one wins. */
export function literalSegments(template: string): number {
  return template.split('/').filter(part => !part.startsWith('{')).length
}

function decodeSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}
