import {own, shown} from '#lib/platform/values.js'

/** What a text does to a path in which it stands, as the most obliging service would read it. */

/**
 * What a path takes for steps in a text: decoded as often as can be, in small letters, without
 * blanks around them and slashes too many.
 */
export function stepsOf(text: string): string[] {
  return partsOf(text)
    .map(step => step.trim().toLowerCase())
    .filter(Boolean)
}

/** No service decodes as often, and a text can be such that each time gives another one. */
const MOST_DECODINGS = 20

/** The parts between slashes of either kind, those without text included. */
function partsOf(text: string): string[] {
  let decoded = text
  let before: string | undefined
  for (let count = 0; before !== decoded && count < MOST_DECODINGS; count++) {
    before = decoded
    // Everything that matters here is ASCII; what is no such escape stays as it is.
    decoded = decoded.replace(/%([0-7][0-9a-f])/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
  }
  return decoded.split(/[/\\]/)
}

/** A path without slashes at its end: an expression for that would try each run of slashes anew. */
export function withoutEndSlashes(path: string): string {
  let end = path.length
  while (path[end - 1] === '/') end -= 1
  return path.slice(0, end)
}

/** Why a text can stand in no path; `undefined` when it can. Fits behind a name. */
export function emptyOrStep(text: string): string | undefined {
  if (text.trim() === '') return 'must not be empty'
  const steps = stepsOf(text)
  return steps.length === 0 || steps.some(step => step === '.' || step === '..')
    ? `must not be ${shown(text)}: a service may take it for a step to another path`
    : undefined
}

/** Why a text is not one whole segment of a path, whoever reads it; `undefined` when it is. Fits behind a name. */
export function segmentProblem(text: string): string | undefined {
  const isSeveral = partsOf(text).length > 1
  return (
    emptyOrStep(text) ??
    (isSeveral ? `must not be ${shown(text)}: a service may take it for several steps` : undefined)
  )
}

/**
 * Whether an address stays below another one, both of the same origin, however a service reads it: with the
 * steps up (`..`) taken before anything is decoded, after that, or both. Queries do not count.
 */
export function isBelow(base: string, address: string): boolean {
  return READINGS.every(read => {
    const [above, below] = [read(pathOf(base)), read(pathOf(address))]
    return (
      above !== undefined && below !== undefined && above.every((step, at) => step === below[at])
    )
  })
}

/** The steps of a path as services read it; `undefined` where it climbs above the root. */
const READINGS: ReadonlyArray<(path: string) => string[] | undefined> = [
  path => taken(path.split(/[/\\]/)),
  path => taken(partsOf(path)),
  path => {
    const steps = taken(path.split(/[/\\]/))
    return steps && taken(partsOf(steps.join('/')))
  },
]

/** The path of an address as it stands there: a URL of Node's would have climbed already. */
function pathOf(address: string): string {
  return address.replace(/^[a-z]+:\/\/[^/\\?#]*/i, '').replace(/[?#].*$/s, '')
}

function taken(parts: readonly string[]): string[] | undefined {
  const steps: string[] = []
  for (const part of parts) {
    const step = part.trim().replace(/%2e/gi, '.')
    if (step === '..' && steps.length === 0) return undefined
    if (step === '..') steps.pop()
    else if (step !== '' && step !== '.') steps.push(part)
  }
  return steps
}

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
