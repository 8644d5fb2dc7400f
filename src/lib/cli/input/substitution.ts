import {UsageError} from '#lib/cli/terminal/errors.js'
import {runTimed} from '#lib/platform/timed-script.js'

/** `s/PATTERN/REPLACEMENT/FLAGS`, as sed and the rename of Perl have it. */
export interface Substitution {
  readonly pattern: string
  /** The flags of the regular expression: of `g`, `i` and the `u` of Unicode. */
  readonly flags: string
  readonly replacement: readonly Piece[]
}

/** A part of the replacement: text, a group, or the case of what follows. */
type Piece =
  | {readonly text: string}
  | {readonly group: number}
  | {readonly letters: 'upper' | 'lower' | 'asIs'}

/** Reads an expression; any sign may stand in place of the slashes. Throws `UsageError`. Pure. */
export function parseSubstitution(expression: string): Substitution {
  const [, mark] = /^s([^\w\s\\])/.exec(expression) ?? []
  const parts = mark === undefined ? [] : partsOf(expression.slice(2), mark)
  const [pattern = '', replacement, flags = ''] = parts
  if (parts.length !== 3 || pattern === '' || !/^[gi]*$/.test(flags)) {
    throw new UsageError(
      `"${expression}" is not a substitution.`,
      "Write it as 's/OLD/NEW/', with g behind it for every match and i to ignore case.",
    )
  }
  try {
    new RegExp(pattern, 'u')
  } catch (error) {
    const [, why = 'it is malformed'] = /: ([^:]*)$/.exec((error as Error).message) ?? []
    throw new UsageError(
      `The pattern ${pattern} is not a regular expression: ${why.toLowerCase()}.`,
      'A backslash takes its meaning from a sign: \\. stands for a dot.',
    )
  }
  const unique = [...new Set(`${flags}u`)].join('')
  return {pattern, flags: unique, replacement: piecesOf(replacement!)}
}

/** The parts between the marks; a backslash keeps a mark from being one. */
function partsOf(text: string, mark: string): string[] {
  const parts = ['']
  for (let at = 0; at < text.length; at++) {
    const here = text[at]!
    const next = text[at + 1]
    if (here === '\\' && next !== undefined) {
      parts.push(parts.pop()! + (next === mark ? next : here + next))
      at += 1
    } else if (here === mark) parts.push('')
    else parts.push(parts.pop()! + here)
  }
  return parts
}

const LETTERS = {U: 'upper', L: 'lower', E: 'asIs'} as const

/** `\1`, `$1` and `${1}` are groups, `\0` and `$&` the whole match; `\U`, `\L` and `\E` set the case. */
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

/** Milliseconds that a pattern may take for all texts together. */
const PATIENCE = 1000

/** A match: where it begins, and its groups, the whole first. */
type Match = readonly [at: number, groups: ReadonlyArray<string | null>]

/**
 * What becomes of some texts. Throws `UsageError` for a pattern that takes too long.
 */
export function substituted(
  {pattern, flags, replacement}: Substitution,
  texts: readonly string[],
): string[] {
  const script = `JSON.stringify(texts.map(text => {
    const all = flags.includes('g') ? [...text.matchAll(new RegExp(pattern, flags))]
      : [new RegExp(pattern, flags).exec(text)]
    return all.filter(Boolean).map(match => [match.index, [...match]])
  }))`
  const json = runTimed<string>(script, {texts: [...texts], pattern, flags}, PATIENCE)
  if (json === undefined) {
    throw new UsageError(
      `The pattern ${pattern} takes too long on these names.`,
      'Repeat no group that repeats something itself, as in (a+)+.',
    )
  }
  const found = JSON.parse(json) as Match[][]
  return texts.map((text, index) => replaced(text, found[index]!, replacement))
}

function replaced(text: string, matches: readonly Match[], pieces: readonly Piece[]): string {
  let result = ''
  let end = 0
  for (const [at, groups] of matches) {
    result += text.slice(end, at) + written(pieces, groups)
    end = at + groups[0]!.length
  }
  return result + text.slice(end)
}

function written(pieces: readonly Piece[], groups: Match[1]): string {
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
