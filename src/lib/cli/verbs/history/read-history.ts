import type {Context} from '#lib/cli/context/context.js'
import {HISTORY_DAYS, historyDirectory} from '#lib/cli/context/history.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import {readHistoryLines} from '#lib/history/file.js'
import type {HistoryLine} from '#lib/history/lines.js'
import {type HistoryRun, readRuns, type RunSummary, withSteps} from '#lib/history/runs.js'
import {reasonOf} from '#lib/platform/system-errors.js'

/** Reads the history of the current user on this machine. */

const DAY = 24 * 3600 * 1000

/** The recorded commands, of all profiles unless the command line names one, the oldest first. Throws `CommandError` if the history cannot be read. */
export async function readHistory(context: Context): Promise<RunSummary[]> {
  const {profile} = context.options
  const runs = await readRecorded(context)
  return profile === undefined ? runs : runs.filter(run => run.profile === profile)
}

/** The recorded commands of all profiles. */
async function readRecorded(context: Context): Promise<RunSummary[]> {
  const {history} = await context.settings()
  const oldest = context.now() - (history?.days ?? HISTORY_DAYS) * DAY
  const runs = await readLines(context, readRuns)
  return runs.filter(({time}) => !(Date.parse(time) < oldest))
}

/** The same commands with their changes. Throws `CommandError` if the history cannot be read. */
export async function readSteps(
  context: Context,
  runs: readonly RunSummary[],
): Promise<HistoryRun[]> {
  return readLines(context, lines => withSteps(lines, runs))
}

async function readLines<T>(
  context: Context,
  read: (lines: AsyncIterable<HistoryLine>) => Promise<T[]>,
): Promise<T[]> {
  const directory = historyDirectory(context.directories)
  if (directory === undefined) return []
  try {
    return await read(readHistoryLines(directory))
  } catch (error) {
    throw new CommandError(
      'failed',
      `Cannot read the history in ${directory}: ${reasonOf(error)}.`,
      'Make the directory readable.',
    )
  }
}

/** Whether a command changed something with the current profile at its service. */
async function isOwn(context: Context): Promise<(run: RunSummary) => boolean> {
  const {profile, binding} = await context.settings()
  return run => run.profile === profile && run.service === binding
}

/** The commands that changed something with the current profile at its service. */
export async function ownRuns(context: Context): Promise<RunSummary[]> {
  return (await readHistory(context)).filter(await isOwn(context))
}

/**
 * The commands of the current profile with these IDs or unique prefixes of IDs. Throws `CommandError` for an ID that is
 * unknown, ambiguous or of another profile.
 */
export async function selectRuns(context: Context, ids: readonly string[]): Promise<RunSummary[]> {
  const [runs, isOfProfile] = [await readRecorded(context), await isOwn(context)]
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
