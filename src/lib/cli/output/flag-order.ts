import {type KnownFlags, readArgv, type Token} from '#lib/cli/terminal/read-argv.js'
import {GLOBAL_FLAGS} from './global-flags.js'

/** Flags of some commands whose short form is the same in every command that has the long one. */
const SHARED: KnownFlags = {
  yes: {type: 'boolean', char: 'y'},
  output: {type: 'option', char: 'o'},
  all: {type: 'boolean', char: 'a'},
  limit: {type: 'option', char: 'L'},
  long: {type: 'boolean', char: 'l'},
  recursive: {type: 'boolean', char: 'R'},
}

/** What is known of a command line whose command is not: global flags, and short ones of any command. */
export const flagsOfAny: KnownFlags = {...SHARED, ...GLOBAL_FLAGS}

/** As many words as the name of a command has at most: `local user add`. */
const MOST_WORDS = 3

/**
 * The command line with the global flags behind the first words, for oclif takes what stands there
 * for the command's name. What comes behind an unknown flag or `--` stays where it is. Pure.
 */
export function wordsFirst(argv: readonly string[]): string[] {
  const words: string[] = []
  const flags: string[] = []
  let at = 0
  for (const token of readArgv(argv, flagsOfAny)) {
    const [word] = token.words
    if (words.length === MOST_WORDS || !(isMovable(token) || mayBeName(token, words))) break
    if (token.kind === 'flag') flags.push(...token.words)
    else words.push(word)
    at += token.words.length
  }
  return words.length === 0 ? [...argv] : [...words, ...flags, ...argv.slice(at)]
}

/** Whether it is known wherever it stands; long flags of some commands are not. */
function isMovable({isKnown, spelling, names: [name = '']}: Token): boolean {
  return isKnown && (!spelling.startsWith('--') || Object.hasOwn(GLOBAL_FLAGS, name))
}

/** No command is called so: what stands before a path or a search stays before it. */
function mayBeName({kind, words: [word]}: Token, before: readonly string[]): boolean {
  return kind === 'argument' && word !== '-' && (before.length === 0 || /^[\w:-]+$/.test(word))
}
