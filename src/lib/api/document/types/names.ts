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
