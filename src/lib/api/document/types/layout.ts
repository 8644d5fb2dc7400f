import {printable} from '#lib/platform/sanitize.js'

/** How the text of a module is laid out: as prettier would, with at most 100 characters a line. */

/** Characters that a line has at most, where it can be broken. */
export const WIDTH = 100

/** Moves every line to the right by so many steps of two blanks; empty lines stay so. */
export function indented(text: string, steps = 1): string {
  return text.replace(/^(?=.)/gm, '  '.repeat(steps))
}

/** `head` items `tail` on one line where it fits behind so many blanks, else an item a line. */
export function group(
  head: string,
  items: readonly string[],
  tail: string,
  {before = 0, behind = 0} = {},
): string {
  const line = `${head}${items.join(', ')}${tail}`
  const fits = before + line.length + behind <= WIDTH && !line.includes('\n')
  if (items.length === 0 || fits) return line
  return `${head}\n${indented(items.map(item => `${item},`).join('\n'))}\n${tail}`
}

/**
 * Alternatives on one line, where that fits behind `indent` blanks and `behind` characters, or on the
 * next one, or each on a line of its own: then with a line break in front. '' for none.
 */
export function alternatives(types: readonly string[], indent: number, behind: number): string {
  const line = types.join(' | ')
  if (types.length === 0) return ''
  if (indent + behind + line.length <= WIDTH) return line
  if (indent + 2 + line.length <= WIDTH) return `\n  ${line}`
  return indented(types.map(type => `\n| ${type}`).join(''))
}

/** A type behind its name, without a blank where the type begins on the next line. */
export function typed(start: string, type: string): string {
  return (type.startsWith('\n') ? start.trimEnd() : start) + type
}

/**
 * A doc comment of paragraphs from outside and of tags (`@deprecated`), with a line break behind; ''
 * where there is nothing to say. Nothing in a paragraph ends the comment or is taken for a tag.
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

/** A text as one line of whole characters that anybody can see. */
export function oneLine(text: string): string {
  return printable(text, Infinity).replace(/\p{Cs}/gu, '\uFFFD')
}

/** The compiler would obey a line such as `@ts-ignore`. */
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

/** How names of a document, which may be anything, are written in TypeScript. */

/** No type can have one of these names. */
const RESERVED = new Set(
  (
    'any as async await bigint boolean break case catch class const continue debugger declare default delete do ' +
    'else enum export extends false finally for function if implements import in infer instanceof interface ' +
    'intrinsic keyof let module namespace never new null number object package private protected public readonly ' +
    'require return static string super switch symbol this throw true try type typeof undefined unique unknown var ' +
    'void while with yield'
  ).split(' '),
)

/** Gives each name once: what is taken already gets a number, `File2`. */
export function uniqueNames(taken: Iterable<string> = []): (wish: string) => string {
  const given = new Set(taken)
  /** The number that comes next behind a wish: the lower ones are all given. */
  const counts = new Map<string, number>()
  return wish => {
    let name = wish
    let count = counts.get(wish) ?? 2
    for (; given.has(name); count++) name = `${wish}${count}`
    counts.set(wish, count)
    given.add(name)
    return name
  }
}

/** Whether a type may be called so. */
export function isTypeName(name: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(name) && !RESERVED.has(name)
}

/** A name for a type, the nearest to one that may be anything: `shared-drive.list` -> `SharedDriveList`. */
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

/** A member's name as it stands before a colon. Without brackets `__proto__` would set the prototype. */
export function key(name: string): string {
  if (name === '__proto__') return `['__proto__']`
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name)
}

/** A text as a string of TypeScript; what cannot be seen, or would end it, is escaped. */
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
