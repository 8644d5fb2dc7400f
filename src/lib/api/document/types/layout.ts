import {printable} from '#lib/platform/sanitize.js'

/** Lays out a module's text as prettier does, with at most 100 characters per line. */

/** Maximum number of characters of a line, if it can be broken. */
export const WIDTH = 100

/** Indents every line except empty ones by `steps` times two spaces. */
export function indentLines(text: string, steps = 1): string {
  return text.replace(/^(?=.)/gm, '  '.repeat(steps))
}

/** `head`, items and `tail` on one line if it fits after `before` columns; else one item per line. */
export function group(
  head: string,
  items: readonly string[],
  tail: string,
  {before = 0, behind = 0} = {},
): string {
  const line = `${head}${items.join(', ')}${tail}`
  const fits = before + line.length + behind <= WIDTH && !line.includes('\n')
  if (items.length === 0 || fits) return line
  return `${head}\n${indentLines(items.map(item => `${item},`).join('\n'))}\n${tail}`
}

/**
 * Union members on one line if that fits with `indent` and `behind` columns before it, else on the next
 * line, else each on its own line. Starts with a line break unless all fit. '' without types.
 */
export function alternatives(types: readonly string[], indent: number, behind: number): string {
  const line = types.join(' | ')
  if (types.length === 0) return ''
  if (indent + behind + line.length <= WIDTH) return line
  if (indent + 2 + line.length <= WIDTH) return `\n  ${line}`
  return indentLines(types.map(type => `\n| ${type}`).join(''))
}

/** A type after its name, without a space if the type starts on the next line. */
export function typed(start: string, type: string): string {
  return (type.startsWith('\n') ? start.trimEnd() : start) + type
}

/**
 * A doc comment with paragraphs from the document and tags (`@deprecated`), ending with a line break; ''
 * if it would be empty. Paragraphs can neither end the comment nor start a tag.
 */
export function comment(
  paragraphs: readonly string[],
  indent: number,
  tags: readonly string[] = [],
): string {
  const width = WIDTH - indent - ' * '.length
  const lines = [
    ...paragraphs.flatMap(paragraph => wrapped(safe(paragraph), width).map(untagged)),
    ...tags,
  ]
  const [only = ''] = lines
  if (lines.length === 0) return ''
  if (lines.length === 1 && indent + only.length + '/**  */'.length <= WIDTH) {
    return `/** ${only} */\n`
  }
  return `/**\n${lines.map(line => ` * ${line}\n`).join('')} */\n`
}

function safe(text: string): string {
  return oneLine(text).replaceAll('*/', '*\\/')
}

/** A text as one printable line. */
export function oneLine(text: string): string {
  return printable(text, Infinity).replace(/\p{Cs}/gu, '\uFFFD')
}

/** Escapes a leading @: the compiler would obey a line such as `@ts-ignore`. */
function untagged(line: string): string {
  return line.replace(/^@/, '\\@')
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(/ +/).filter(Boolean)) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width) {
      lines[lines.length - 1] = `${last} ${word}`
    } else lines.push(word)
  }
  return lines
}

/** Names of a document, which may be any text, as TypeScript names. */

/** Words that are not allowed as type names. */
const RESERVED = new Set(
  (
    'any as async await bigint boolean break case catch class const continue debugger declare default delete do ' +
    'else enum export extends false finally for function if implements import in infer instanceof interface ' +
    'intrinsic keyof let module namespace never new null number object package private protected public readonly ' +
    'require return static string super switch symbol this throw true try type typeof undefined unique unknown var ' +
    'void while with yield'
  ).split(' '),
)

/** A function that returns a unique name: taken names get a number, `File2`. */
export function uniqueNames(taken: Iterable<string> = []): (wanted: string) => string {
  const given = new Set(taken)
  /** The next number for each requested name. */
  const counts = new Map<string, number>()
  return wanted => {
    let name = wanted
    let count = counts.get(wanted) ?? 2
    for (; given.has(name); count++) name = `${wanted}${count}`
    counts.set(wanted, count)
    given.add(name)
    return name
  }
}

/** Whether a text is allowed as a type name. */
export function isTypeName(name: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(name) && !RESERVED.has(name)
}

/** The closest valid type name for any text: `shared-drive.list` -> `SharedDriveList`. */
export function typeName(name: string): string {
  if (isTypeName(name)) return name
  const joined = name
    .split(/[^\w$]+/)
    .map(capitalised)
    .join('')
  return /^[A-Za-z_$]/.test(joined) ? joined : `_${joined}`
}

export function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

/** A member name as it appears before a colon. Without brackets `__proto__` would set the prototype. */
export function key(name: string): string {
  if (name === '__proto__') return `['__proto__']`
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name)
}

/** A text as a TypeScript string literal; quotes and invisible characters are escaped. */
export function literal(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'"
  const escaped = text.replace(/['"\\]|[\p{C}\p{Z}]/gu, character => {
    if (character === '\\' || character === quote) return `\\${character}`
    return /[ '"]/.test(character) ? character : escapeOf(character)
  })
  return quote + escaped + quote
}

function escapeOf(character: string): string {
  const units = [...Array(character.length).keys()].map(index => character.charCodeAt(index))
  return units.map(unit => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}
