import {Args, Flags} from '@oclif/core'
import {durationIn, momentIn} from '#lib/api/moment.js'
import type {FlagValues} from '#lib/cli/input/call-input.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'
import {splitLine} from '#lib/config/aliases.js'
import {CHANGE_KINDS, type ChangeKind} from '#lib/follow/known.js'
import {joinWithOr, quoteText} from '#lib/platform/values.js'

/** The arguments and flags of `drv follow`, and their values. */

export const followArgs = {
  path: Args.string({
    description:
      'Files and folders to follow, with everything in them: paths, links or IDs (default: everything that the account can see).',
    multiple: true,
    ignoreStdin: true,
  }),
}

export const followFlags = {
  kind: ranked(
    1,
    Flags.string({
      summary: `Only changes of these kinds, separated by commas: ${CHANGE_KINDS.join(', ')}.`,
      helpValue: 'KIND',
      multiple: true,
      multipleNonGreedy: true,
    }),
  ),
  once: ranked(2, Flags.boolean({summary: 'Print the pending changes, then exit.'})),
  since: ranked(
    3,
    Flags.string({
      summary:
        'Start with the changes since TIME (12h, today, 2026-01-31) or since a page token, unless progress is already recorded (see --resume).',
      helpValue: 'TIME|TOKEN',
    }),
  ),
  resume: ranked(
    4,
    Flags.boolean({
      summary:
        'Continue where the last run with this profile and these paths ended; record progress in the state directory.',
    }),
  ),
  checkpoint: ranked(
    5,
    Flags.string({
      summary: 'Like --resume, with the progress in FILE.',
      helpValue: 'FILE',
    }),
  ),
  exec: ranked(
    6,
    Flags.string({
      summary:
        'Run COMMAND for each change, without a shell; {} is the path. The change is on standard input as JSON and in DRV_CHANGE_* variables.',
      helpValue: 'COMMAND',
    }),
  ),
  shell: ranked(
    7,
    Flags.boolean({
      summary: 'Run COMMAND with sh -c; the path is "$1" and "$DRV_CHANGE_PATH".',
      dependsOn: ['exec'],
    }),
  ),
  batch: ranked(
    8,
    Flags.string({
      summary:
        'Collect changes for SECONDS, then run COMMAND once for all of them; {} becomes all paths.',
      helpValue: 'SECONDS',
      dependsOn: ['exec'],
      exclusive: ['jobs'],
    }),
  ),
  jobs: ranked(
    9,
    Flags.string({
      summary: 'Run up to N commands at a time; changes to one file stay in order (default: 1).',
      helpValue: 'N',
      dependsOn: ['exec'],
    }),
  ),
  retries: ranked(
    10,
    Flags.string({
      summary: 'Retry a failing command up to N times, with growing delays (default: 5).',
      helpValue: 'N',
      dependsOn: ['exec'],
    }),
  ),
  'keep-going': ranked(
    11,
    Flags.boolean({
      summary: 'Report a command that keeps failing, and continue with the next change.',
      dependsOn: ['exec'],
    }),
  ),
}

/** How commands run. */
export interface ExecOptions {
  /** The program and its arguments, or the line for a shell. */
  readonly command: readonly string[] | string
  /** Milliseconds to collect changes for one run; `undefined` for one run per change. */
  readonly batch?: number
  readonly jobs: number
  readonly retries: number
  readonly keepsGoing: boolean
}

/** The values of the flags for commands; `undefined` without `--exec`. Throws `UsageError`. */
export function execOptionsOf(flags: FlagValues): ExecOptions | undefined {
  if (typeof flags.exec !== 'string') return undefined
  const {batch} = flags
  return {
    command: flags.shell === true ? shellLineOf(flags.exec) : wordsOf(flags.exec),
    ...(typeof batch === 'string' && {batch: batchOf(batch)}),
    jobs: integerOf('jobs', flags.jobs, {least: 1, most: 64, otherwise: 1}),
    retries: integerOf('retries', flags.retries, {least: 0, most: 100, otherwise: 5}),
    keepsGoing: flags['keep-going'] === true,
  }
}

function wordsOf(text: string): readonly string[] {
  const words = splitLine(text)
  if (!words) throw new UsageError(`Invalid --exec: a quote in ${quoteText(text)} is not closed.`)
  if (words.length === 0) throw new UsageError('Invalid --exec: the command is empty.')
  return words
}

/** A name can contain anything, so it is never a part of the line itself. */
function shellLineOf(text: string): string {
  if (text.trim() === '') throw new UsageError('Invalid --exec: the command is empty.')
  if (!text.includes('{}')) return text
  throw new UsageError(
    'Invalid --exec: with --shell, {} is not replaced, because names can contain shell syntax.',
    'Write "$1" or "$DRV_CHANGE_PATH" instead.',
  )
}

function batchOf(text: string): number {
  const duration = /^\d{1,6}$/.test(text) ? Number(text) * 1000 : durationIn(text)
  if (duration !== undefined && duration > 0) return duration
  throw new UsageError(`Invalid --batch: must be a number of seconds, not "${text}".`)
}

function integerOf(
  name: string,
  text: unknown,
  {least, most, otherwise}: {least: number; most: number; otherwise: number},
): number {
  if (typeof text !== 'string') return otherwise
  const number = Number(text)
  if (/^\d{1,6}$/.test(text) && number >= least && number <= most) return number
  throw new UsageError(
    `Invalid --${name}: must be an integer from ${least} to ${most}, not "${text}".`,
  )
}

/** The kinds to hand over; `undefined` for all. Throws `UsageError`. */
export function kindsIn(values: unknown): ReadonlySet<ChangeKind> | undefined {
  if (!Array.isArray(values)) return undefined
  const kinds = values.flatMap(value => String(value).split(',')).map(kind => kind.trim())
  const wrong = kinds.find(kind => !(CHANGE_KINDS as readonly string[]).includes(kind))
  if (wrong !== undefined) {
    throw new UsageError(`Invalid --kind: "${wrong}" is not a kind of change.`, kindsHint())
  }
  return new Set(kinds as ChangeKind[])
}

function kindsHint(): string {
  return `Use ${joinWithOr(CHANGE_KINDS)}.`
}

/** Where to start. */
export type FollowStart = {readonly time: number} | {readonly token: string} | undefined

/** The start that `--since` names. Throws `UsageError`. */
export function startOf(text: unknown, now: number): FollowStart {
  if (typeof text !== 'string') return undefined
  const time = /^\d+$/.test(text) ? undefined : momentIn(text, now)
  if (time !== undefined && time > now) {
    throw new UsageError(`Invalid --since: "${text}" is in the future.`)
  }
  if (time !== undefined) return {time}
  if (/^\S+$/.test(text)) return {token: text}
  throw notAStart(text)
}

/** The error for a value of `--since` that is neither a time nor a page token. */
export function notAStart(text: string): UsageError {
  return new UsageError(
    `Invalid --since: "${text}" is neither a time nor a page token of the service.`,
    'Use a time such as 12h, today or 2026-01-31, or the nextPageToken of `drv changes list`.',
  )
}
