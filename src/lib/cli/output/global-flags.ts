import {type KnownFlags, readArgv, type Token} from '#lib/cli/terminal/read-argv.js'

/**
 * The flags of every command, described once. oclif's flags (`run/read-line.ts`), their variables,
 * where they may stand in argv, help and the page of variables are made from this table.
 */

export interface GlobalFlag {
  /** An `option` takes a value. */
  readonly type: 'boolean' | 'option'
  readonly char?: string
  /** What help calls the value; that of `format` is one of the formats. */
  readonly helpValue?: string
  readonly summary: string
  /** The same for commands that are one operation, where that is something else. */
  readonly operationSummary?: string
  /** Only commands that are one operation have it. */
  readonly isOfOperations?: true
  /** The place in help among the global flags. */
  readonly rank: number
  /**
   * What the page of variables says of `DRV_` and its name, or the flag beside whose variable it stands
   * there. A flag of one call has no variable.
   */
  readonly variable?:
    {readonly words: string; readonly isOfService?: true} | {readonly beside: string}
}

/** In the order of the manifest, and of their lines on the page of variables. */
const TABLE = {
  profile: {
    type: 'option',
    helpValue: 'NAME',
    summary: 'Profile to work with (else DRV_PROFILE, else the chosen one).',
    rank: 6,
    variable: {words: 'The profile to work with.', isOfService: true},
  },
  json: {
    type: 'boolean',
    char: 'J',
    summary: 'Same as --format json.',
    rank: 0,
    variable: {beside: 'format'},
  },
  format: {
    type: 'option',
    summary: 'How to write results: table at a terminal and tsv in a pipe, unless given.',
    rank: 1,
    variable: {words: 'How results are written.'},
  },
  columns: {
    type: 'option',
    helpValue: 'NAME,…',
    summary: 'Fields to write, in this order, such as id,labels.trashed; "help" lists them.',
    rank: 2,
  },
  jq: {
    type: 'option',
    helpValue: 'EXPRESSION',
    summary: 'What jq makes of the JSON: of all of it, with --format ndjson of each record.',
    rank: 3,
  },
  null: {
    type: 'boolean',
    char: '0',
    summary:
      'End names with NUL, not a line break: on standard input, and with ls, find and --format ids.',
    rank: 4.5,
  },
  quiet: {
    type: 'boolean',
    char: 'q',
    summary: 'Write nothing but results and errors.',
    rank: 5,
    variable: {words: 'Less or more on standard error.'},
  },
  verbose: {
    type: 'boolean',
    summary: 'Write a line for every request, and how many there were, to standard error.',
    rank: 7,
    variable: {beside: 'quiet'},
  },
  debug: {
    type: 'boolean',
    summary: 'As --verbose, and where an error comes from.',
    rank: 12,
    variable: {beside: 'quiet'},
  },
  'read-only': {
    type: 'boolean',
    summary: 'Refuse whatever would change something in the service.',
    rank: 10,
    variable: {beside: 'dry-run'},
  },
  'no-input': {
    type: 'boolean',
    summary: 'Never ask a question.',
    rank: 9,
    variable: {words: 'No questions, colours, pager.'},
  },
  'no-color': {
    type: 'boolean',
    summary: 'Never write colours.',
    rank: 13,
    variable: {beside: 'no-input'},
  },
  'no-pager': {
    type: 'boolean',
    summary: 'Never show long results in a pager.',
    rank: 14,
    variable: {beside: 'no-input'},
  },
  'no-probe': {
    type: 'boolean',
    summary: 'Do not ask the service why something was not found.',
    rank: 15,
    variable: {words: 'No request to find out why something was not found.'},
  },
  'dry-run': {
    type: 'boolean',
    char: 'n',
    summary: 'Say what would be done, and do nothing.',
    operationSummary: 'Say what would be done; with --verbose, show the requests too.',
    rank: 4,
    variable: {words: 'Change nothing; refuse what would.'},
  },
  timeout: {
    type: 'option',
    helpValue: 'SECONDS',
    summary: 'Give up when the command takes longer than this many seconds.',
    rank: 8,
    variable: {words: 'Seconds after which a command gives up.'},
  },
  curl: {
    type: 'boolean',
    summary: 'Write it as a line of curl for a shell that has DRV_TOKEN, instead of sending it.',
    isOfOperations: true,
    rank: 11,
  },
} as const satisfies Readonly<Record<string, GlobalFlag>>

export type GlobalFlagTable = typeof TABLE

export const GLOBAL_FLAGS: Readonly<Record<string, GlobalFlag>> = TABLE

/** The variable that stands in for a global flag. */
export function variableOf(flag: string): string {
  return `DRV_${flag.toUpperCase().replaceAll('-', '_')}`
}

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
