import type {Context} from '#lib/cli/context/context.js'
import {HISTORY_DAYS, historyDirectory} from '#lib/cli/context/history.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import {readHistoryLines} from '#lib/history/file.js'
import {type HistoryRun, readRuns} from '#lib/history/runs.js'
import {reasonOf} from '#lib/platform/system-errors.js'

/** Reads the history of the current user on this machine. */

const DAY = 24 * 3600 * 1000

/** The recorded commands of all profiles, the oldest first. Throws `CommandError` if the history cannot be read. */
export async function readHistory(context: Context): Promise<HistoryRun[]> {
  const directory = historyDirectory(context.directories)
  if (directory === undefined) return []
  const {history} = await context.settings()
  const oldest = context.now() - (history?.days ?? HISTORY_DAYS) * DAY
  try {
    const runs = await readRuns(readHistoryLines(directory))
    return runs.filter(({time}) => !(Date.parse(time) < oldest))
  } catch (error) {
    throw new CommandError(
      'failed',
      `Cannot read the history in ${directory}: ${reasonOf(error)}.`,
      'Make the directory readable.',
    )
  }
}

/** The commands that changed something with the current profile at its service. */
export async function ownRuns(context: Context): Promise<HistoryRun[]> {
  const {profile, binding} = await context.settings()
  const runs = await readHistory(context)
  return runs.filter(run => run.profile === profile && run.service === binding)
}

/** The commands with these IDs or unique prefixes of IDs. Throws `CommandError` for an unknown or ambiguous one. */
export function selectRuns(runs: readonly HistoryRun[], ids: readonly string[]): HistoryRun[] {
  return [...new Set(ids)].map(id => {
    const found = runs.filter(({run}) => id !== '' && run.startsWith(id.toLowerCase()))
    if (found.length === 1) return found[0]!
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
