import {UsageError} from '#lib/cli/terminal/errors.js'
import {runTimed} from '#lib/platform/timed-script.js'

/** A parsed `s/PATTERN/REPLACEMENT/FLAGS`, as in sed. */
export interface Substitution {
  readonly pattern: string
  /** Flags of the regular expression: `u`, and optionally `g` and `i`. */
  readonly flags: string
  readonly replacement: readonly Piece[]
}

/** A part of the replacement: text, a group, or a switch of letter case. */
type Piece =
  | {readonly text: string}
  | {readonly group: number}
  | {readonly letters: 'upper' | 'lower' | 'asIs'}

/** Whether a word has the form of a substitution: `s` and a delimiter. */
export function isSubstitution(word: string): boolean {
  return /^s[^\w\s\\]/.test(word)
}

/** Parses an expression with any delimiter in place of the slashes. Throws `UsageError`. */
export function parseSubstitution(expression: string): Substitution {
  const [, delimiter] = /^s([^\w\s\\])/.exec(expression) ?? []
  const parts = delimiter === undefined ? [] : partsOf(expression.slice(2), delimiter)
  const [pattern = '', replacement, flags = ''] = parts
  if (parts.length !== 3 || pattern === '' || !/^[gi]*$/.test(flags)) {
    throw new UsageError(
      `Invalid substitution "${expression}".`,
      "Use the form 's/OLD/NEW/'; append g to replace every match, i to ignore case.",
    )
  }
  try {
    new RegExp(pattern, 'u')
  } catch (error) {
    const [, why = 'syntax error'] = /: ([^:]*)$/.exec((error as Error).message) ?? []
    throw new UsageError(
      `Invalid regular expression "${pattern}": ${why.toLowerCase()}.`,
      'Escape special characters with a backslash, such as \\. for a dot.',
    )
  }
  const unique = [...new Set(`${flags}u`)].join('')
  return {pattern, flags: unique, replacement: piecesOf(replacement!)}
}

/** The parts between the delimiters; a backslash escapes a delimiter. */
function partsOf(text: string, delimiter: string): string[] {
  const parts = ['']
  for (let at = 0; at < text.length; at++) {
    const here = text[at]!
    const next = text[at + 1]
    if (here === '\\' && next !== undefined) {
      parts.push(parts.pop()! + (next === delimiter ? next : here + next))
      at += 1
    } else if (here === delimiter) parts.push('')
    else parts.push(parts.pop()! + here)
  }
  return parts
}

const LETTERS = {U: 'upper', L: 'lower', E: 'asIs'} as const

/** The parts of a replacement: `\1`, `$1` and `${1}` are groups, `\0` and `$&` the whole match; `\U`, `\L` and `\E` set the case. */
function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = []
  let end = 0
  for (const match of text.matchAll(/\\(\d)|\$(\d)|\$\{(\d)\}|\$&|\\([ULE])|\\(.)/gs)) {
    if (match.index > end) pieces.push({text: text.slice(end, match.index)})
    const [whole, back, dollar, braced, letter, plain] = match
    if (letter !== undefined) pieces.push({letters: LETTERS[letter as keyof typeof LETTERS]})
    else if (plain !== undefined) pieces.push({text: plain})
    else pieces.push({group: Number(back ?? dollar ?? braced ?? 0)})
    end = match.index + whole.length
  }
  if (end < text.length) pieces.push({text: text.slice(end)})
  return pieces
}

/** Time limit for applying a pattern to all texts, in milliseconds. */
const MATCH_TIMEOUT = 1000

/** A match: its start, and its groups with the whole match first. */
type Match = readonly [at: number, groups: ReadonlyArray<string | null>]

/**
 * The texts after the substitution. Throws `UsageError` if matching takes too long.
 */
export function substitute(
  {pattern, flags, replacement}: Substitution,
  texts: readonly string[],
): string[] {
  const script = `JSON.stringify(texts.map(text => {
    const all = flags.includes('g') ? [...text.matchAll(new RegExp(pattern, flags))]
      : [new RegExp(pattern, flags).exec(text)]
    return all.filter(Boolean).map(match => [match.index, [...match]])
  }))`
  const json = runTimed<string>(script, {texts: [...texts], pattern, flags}, MATCH_TIMEOUT)
  if (json === undefined) {
    throw new UsageError(
      `Matching the regular expression ${pattern} took longer than ${MATCH_TIMEOUT / 1000} s.`,
      'Avoid nested repetition, such as (a+)+.',
    )
  }
  const found = JSON.parse(json) as Match[][]
  return texts.map((text, index) => replaceMatches(text, found[index]!, replacement))
}

function replaceMatches(text: string, matches: readonly Match[], pieces: readonly Piece[]): string {
  let result = ''
  let end = 0
  for (const [at, groups] of matches) {
    result += text.slice(end, at) + expand(pieces, groups)
    end = at + groups[0]!.length
  }
  return result + text.slice(end)
}

function expand(pieces: readonly Piece[], groups: Match[1]): string {
  let result = ''
  let letters: 'upper' | 'lower' | 'asIs' = 'asIs'
  for (const piece of pieces) {
    if ('letters' in piece) {
      ;({letters} = piece)
      continue
    }
    const text = 'text' in piece ? piece.text : (groups[piece.group] ?? '')
    if (letters === 'asIs') result += text
    else result += letters === 'upper' ? text.toUpperCase() : text.toLowerCase()
  }
  return result
}
