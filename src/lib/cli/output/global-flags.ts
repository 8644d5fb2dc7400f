import {type ArgvToken, type KnownFlags, readArgv} from '#lib/cli/terminal/read-argv.js'

/**
 * The global flags, described once. oclif's flags (`run/read-line.ts`), environment variables, positions
 * in argv, and help are derived from this table.
 */

export interface GlobalFlag {
  /** An `option` takes a value. */
  readonly type: 'boolean' | 'option'
  readonly char?: string
  /** The value name in help; for `format`, help lists the formats. */
  readonly helpValue?: string
  readonly summary: string
  /** A different summary for commands that are one operation. */
  readonly operationSummary?: string
  /** Only for commands that are one operation. */
  readonly isOfOperations?: true
  /** The position among the global flags in help. */
  readonly rank: number
  /**
   * The description of its variable on the page `environment`, or the flag that it shares a line with.
   * Flags for a single command line have no variable.
   */
  readonly variable?:
    {readonly words: string; readonly isOfService?: true} | {readonly beside: string}
}

/** In the order of the manifest and of the page `environment`. */
const TABLE = {
  profile: {
    type: 'option',
    helpValue: 'NAME',
    summary: 'Profile to use (default: $DRV_PROFILE, or the profile set with `drv auth switch`).',
    rank: 6,
    variable: {words: 'Profile to use.', isOfService: true},
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
    summary: 'Output format (default: table at a terminal, tsv in a pipe).',
    rank: 1,
    variable: {words: 'Output format.'},
  },
  columns: {
    type: 'option',
    helpValue: 'NAME,…',
    summary:
      'Columns to print, in this order, such as id,labels.trashed; --columns help lists them.',
    rank: 2,
  },
  jq: {
    type: 'option',
    helpValue: 'EXPRESSION',
    summary: 'Filter the JSON output with a jq expression (per record with --format ndjson).',
    rank: 3,
  },
  null: {
    type: 'boolean',
    char: '0',
    summary:
      'Separate entries with NUL bytes instead of newlines, on standard input and in the output of ls, find and --format ids.',
    rank: 4.5,
  },
  quiet: {
    type: 'boolean',
    char: 'q',
    summary: 'Print only results and errors.',
    rank: 5,
    variable: {words: 'Less or more output on standard error.'},
  },
  verbose: {
    type: 'boolean',
    summary: 'Log each request, and the number of requests, to standard error.',
    rank: 7,
    variable: {beside: 'quiet'},
  },
  debug: {
    type: 'boolean',
    summary: 'Like --verbose, with stack traces.',
    rank: 12,
    variable: {beside: 'quiet'},
  },
  'read-only': {
    type: 'boolean',
    summary: 'Refuse every change to the service.',
    rank: 10,
    variable: {beside: 'dry-run'},
  },
  'no-history': {
    type: 'boolean',
    summary: 'Do not record changes; `drv undo` cannot reverse them.',
    rank: 15.5,
    variable: {beside: 'no-probe'},
  },
  'no-input': {
    type: 'boolean',
    summary: 'Never prompt.',
    rank: 9,
    variable: {words: 'No prompts, no color, no pager.'},
  },
  'no-color': {
    type: 'boolean',
    summary: 'Never use color.',
    rank: 13,
    variable: {beside: 'no-input'},
  },
  'no-pager': {
    type: 'boolean',
    summary: 'Never use a pager.',
    rank: 14,
    variable: {beside: 'no-input'},
  },
  'no-probe': {
    type: 'boolean',
    summary: 'Skip the extra request that explains why an item was not found.',
    rank: 15,
    variable: {words: 'No request that explains a missing item; no record for drv undo.'},
  },
  'dry-run': {
    type: 'boolean',
    char: 'n',
    summary: 'Preview the changes without making them.',
    operationSummary: 'Preview the changes; with --verbose, show the requests too.',
    rank: 4,
    variable: {words: 'Only preview changes; refuse changes.'},
  },
  plan: {
    type: 'option',
    helpValue: 'FILE',
    summary: 'Write the changes to FILE (- for standard output) instead of making them.',
    rank: 4.2,
  },
  timeout: {
    type: 'option',
    helpValue: 'SECONDS',
    summary: 'Stop if the command takes longer than SECONDS.',
    rank: 8,
    variable: {words: 'Maximum duration of a command, in seconds.'},
  },
  curl: {
    type: 'boolean',
    summary:
      'Print curl commands instead of sending requests; they read the token from $DRV_TOKEN.',
    isOfOperations: true,
    rank: 11,
  },
} as const satisfies Readonly<Record<string, GlobalFlag>>

export type GlobalFlagTable = typeof TABLE

export const GLOBAL_FLAGS: Readonly<Record<string, GlobalFlag>> = TABLE

/** The environment variable of a global flag. */
export function variableOf(flag: string): string {
  return `DRV_${flag.toUpperCase().replaceAll('-', '_')}`
}

/** Command flags whose short form is the same in every command that has them. */
const SHARED: KnownFlags = {
  yes: {type: 'boolean', char: 'y'},
  output: {type: 'option', char: 'o'},
  all: {type: 'boolean', char: 'a'},
  limit: {type: 'option', char: 'L'},
  long: {type: 'boolean', char: 'l'},
  recursive: {type: 'boolean', char: 'R'},
}

/** The flags known before the command is: global flags, and `SHARED`. */
export const flagsOfAny: KnownFlags = {...SHARED, ...GLOBAL_FLAGS}

/** The maximum number of words of a command name: `local user add`. */
const MOST_WORDS = 3

/**
 * Moves global flags behind the first words, because oclif reads the command name from the start. Words
 * after an unknown flag or `--` stay in place. Pure.
 */
export function flagsLast(argv: readonly string[]): string[] {
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

/** Whether a flag means the same in every command. */
function isMovable({isKnown, spelling, names: [name = '']}: ArgvToken): boolean {
  return isKnown && (!spelling.startsWith('--') || Object.hasOwn(GLOBAL_FLAGS, name))
}

/** Whether a word can belong to a command name; paths and queries cannot. */
function mayBeName({kind, words: [word]}: ArgvToken, before: readonly string[]): boolean {
  return kind === 'argument' && word !== '-' && (before.length === 0 || /^[\w:-]+$/.test(word))
}
