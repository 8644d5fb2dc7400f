import {ownProperty, quoteText} from '#lib/platform/values.js'

/* How a value changes the URL path it is put into, assuming the most lenient service. */

/**
 * The path segments in `text`: decoded repeatedly, in lower case, without surrounding spaces and empty
 * segments.
 */
export function stepsOf(text: string): string[] {
  return partsOf(text)
    .map(step => step.trim().toLowerCase())
    .filter(Boolean)
}

/** Limit on repeated decoding, because a text can yield a new one each time; no service decodes this often. */
const MAX_DECODINGS = 20

/** The parts of the decoded text between slashes and backslashes, including empty ones. */
function partsOf(text: string): string[] {
  let decoded = text
  let before: string | undefined
  for (let count = 0; before !== decoded && count < MAX_DECODINGS; count++) {
    before = decoded
    // Only ASCII escapes matter here; others are kept.
    decoded = decoded.replace(/%([0-7][0-9a-f])/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
  }
  return decoded.split(/[/\\]/)
}

/** A path without trailing slashes. A loop, because a regular expression would take quadratic time. */
export function withoutEndSlashes(path: string): string {
  let end = path.length
  while (path[end - 1] === '/') end -= 1
  return path.slice(0, end)
}

/** Why `text` cannot be part of a path: it is empty or contains `.` or `..`. `undefined` if it can. Follows a name in a sentence. */
export function traversalProblem(text: string): string | undefined {
  if (text.trim() === '') return 'must not be empty'
  const steps = stepsOf(text)
  if (steps.length === 0) return `must not be ${quoteText(text)}, an empty path`
  return steps.some(step => step === '.' || step === '..')
    ? `must not contain the path segment "." or ".."; it is ${quoteText(text)}`
    : undefined
}

/** Why `text` is not exactly one path segment for every service; `undefined` if it is. Follows a name in a sentence. */
export function segmentProblem(text: string): string | undefined {
  const isSeveral = partsOf(text).length > 1
  return (
    traversalProblem(text) ??
    (isSeveral ? `must be a single path segment, not ${quoteText(text)}` : undefined)
  )
}

/**
 * Whether a URL is below another of the same origin for every service, whether it resolves `..` before
 * decoding, after decoding, or both. Ignores queries.
 */
export function isBelow(base: string, url: string): boolean {
  return READINGS.every(read => {
    const [above, below] = [read(pathOf(base)), read(pathOf(url))]
    return (
      above !== undefined && below !== undefined && above.every((step, at) => step === below[at])
    )
  })
}

/** The ways services resolve a path to segments; `undefined` for a path that goes above the root. */
const READINGS: ReadonlyArray<(path: string) => string[] | undefined> = [
  path => resolveDots(path.split(/[/\\]/)),
  path => resolveDots(partsOf(path)),
  path => {
    const steps = resolveDots(path.split(/[/\\]/))
    return steps && resolveDots(partsOf(steps.join('/')))
  },
]

/** The path of a URL as written; `URL` would already have resolved `..`. */
function pathOf(url: string): string {
  return url.replace(/^[a-z]+:\/\/[^/\\?#]*/i, '').replace(/[?#].*$/s, '')
}

/** The segments after resolving `.` and `..`; `undefined` if they go above the root. */
function resolveDots(parts: readonly string[]): string[] | undefined {
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

/** Thrown for a value that a path template cannot take. */
export class TemplateError extends Error {
  /** `problem` follows the parameter's name in a sentence. */
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

/** Percent-encodes, but keeps existing escapes and the reserved characters that do not end a path. */
function encodeReserved(value: string): string {
  return value
    .split(/(%[\dA-Fa-f]{2}|[:/[\]@!$&'()*+,;=])/)
    .map((part, index) => (index % 2 === 1 ? part : encodeSegment(part)))
    .join('')
}

/**
 * Fills `{name}` and `{+name}` from `values`; throws `TemplateError` for a missing or empty value.
 * `pathProblem` checks the values against other paths.
 */
export function expandPath(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\+?)([^{}]+)\}/g, (_, plus: string, name: string) => {
    const value = ownProperty(values, name)
    if (!value) throw new TemplateError(name, 'must not be empty')
    return plus ? encodeReserved(value) : encodeSegment(value)
  })
}

/**
 * The decoded values of a template's parameters in a path; `undefined` if the path does not match.
 * The path is split before decoding, so an encoded `/` never splits a segment.
 */
export function matchUrlPath(template: string, path: string): Record<string, string> | undefined {
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

/** The number of literal segments in a template; of two matching templates, the one with more wins. */
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
