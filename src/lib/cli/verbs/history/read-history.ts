import type {Context} from '#lib/cli/context/context.js'
import {HISTORY_DAYS, historyDirectory} from '#lib/cli/context/history.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import {openHistoryReader} from '#lib/history/reader.js'
import {type HistoryStep, readHistoryStep, readRuns, type RunSummary} from '#lib/history/runs.js'
import type {StepSummary} from '#lib/history/step-columns.js'
import {reasonOf} from '#lib/platform/system-errors.js'

/** Reads the history of the current user on this machine. */

const DAY = 24 * 3600 * 1000

/** The recorded commands of all profiles, the oldest first, and their changes. */
export interface RecordedHistory {
  readonly runs: readonly RunSummary[]
  /** A change in full. Throws `CommandError` if it cannot be read. */
  step(summary: StepSummary): HistoryStep
}

/** Opens the history while `use` runs. Throws `CommandError` if it cannot be read. */
export async function withHistory<T>(
  context: Context,
  use: (history: RecordedHistory) => Promise<T>,
): Promise<T> {
  const directory = historyDirectory(context.directories)
  const unreadable = (error: unknown) =>
    new CommandError(
      'failed',
      `Cannot read the history in ${directory}: ${reasonOf(error)}.`,
      'Make the directory readable.',
    )
  const reader = attempt(() => openHistoryReader(directory), unreadable)
  try {
    const {history} = await context.settings()
    const oldest = context.now() - (history?.days ?? HISTORY_DAYS) * DAY
    const runs = attempt(() => readRuns(reader.lines()), unreadable)
    return await use({
      runs: runs.filter(({time}) => !(Date.parse(time) < oldest)),
      step: summary => attempt(() => readHistoryStep(reader, summary), unreadable),
    })
  } finally {
    reader.close()
  }
}

function attempt<T>(work: () => T, explain: (error: unknown) => Error): T {
  try {
    return work()
  } catch (error) {
    throw explain(error)
  }
}

/** The commands of all profiles, unless the command line names one. */
export function listedRuns({runs}: RecordedHistory, {options}: Context): readonly RunSummary[] {
  const {profile} = options
  return profile === undefined ? runs : runs.filter(run => run.profile === profile)
}

/** Whether a command changed something with the current profile at its service. */
async function isOwn(context: Context): Promise<(run: RunSummary) => boolean> {
  const {profile, binding} = await context.settings()
  return run => run.profile === profile && run.service === binding
}

/** The commands that changed something with the current profile at its service. */
export async function ownRuns(
  {runs}: RecordedHistory,
  context: Context,
): Promise<readonly RunSummary[]> {
  return runs.filter(await isOwn(context))
}

/**
 * The commands of the current profile with these IDs or unique prefixes of IDs. Throws `CommandError` for an ID that is
 * unknown, ambiguous or of another profile.
 */
export async function selectRuns(
  {runs}: RecordedHistory,
  context: Context,
  ids: readonly string[],
): Promise<readonly RunSummary[]> {
  const isOfProfile = await isOwn(context)
  return [...new Set(ids)].map(id => {
    const named = runs.filter(({run}) => id !== '' && run.startsWith(id.toLowerCase()))
    const found = named.filter(isOfProfile)
    if (found.length === 1) return found[0]!
    const [other, second] = named
    if (found.length === 0 && other && !second) {
      throw new CommandError(
        'notFound',
        `The command ${other.run} was run with profile "${other.profile}" at ${other.service}.`,
        `To undo it, pass --profile ${other.profile}.`,
      )
    }
    if (found.length > 1) {
      throw new CommandError(
        'conflict',
        `Ambiguous command ID ${id}: it matches ${found.map(({run}) => run).join(', ')}.`,
        'Pass more characters of the ID.',
      )
    }
    throw new CommandError(
      'notFound',
      `The history has no command with the ID ${id}.`,
      'To see the commands, run `drv history`.',
    )
  })
}
