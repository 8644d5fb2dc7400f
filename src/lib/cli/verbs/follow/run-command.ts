import {spawn} from 'node:child_process'
import {constants} from 'node:os'
import {CommandError} from '#lib/cli/terminal/errors.js'
import type {FollowedChange} from '#lib/follow/interpret.js'
import {safeJson} from '#lib/platform/sanitize.js'
import {reasonOf} from '#lib/platform/system-errors.js'
import {changeRow} from './rows.js'

/** Runs the command of `--exec` for some changes. */

/** Maximum length of the paths in one command line, in characters; systems allow at least 128 KiB. */
const ARGUMENTS = 64 * 1024

/** The word for a change: its path, or the ID of an item without one. */
export function changeWord({path, fileId}: FollowedChange): string {
  // A word that starts with a dash would be a flag.
  const id = fileId.startsWith('-') ? `id:${fileId}` : fileId
  return path === undefined || path.includes('\0') ? id : path
}

/**
 * The words of a command with the changes in place of `{}`: a word that is only `{}` becomes one word
 * per change. Pure.
 */
export function commandWords(
  command: readonly string[],
  changes: readonly FollowedChange[],
): string[] {
  const paths = changes.map(changeWord)
  return command.flatMap(word => {
    if (word === '{}') return paths
    return [word.includes('{}') ? word.replaceAll('{}', () => paths.join(' ')) : word]
  })
}

/** The groups of changes that fit into one command line each. Pure. */
export function commandGroups(changes: readonly FollowedChange[]): FollowedChange[][] {
  const groups: FollowedChange[][] = []
  let length = Infinity
  for (const change of changes) {
    const own = Buffer.byteLength(changeWord(change)) + 1
    length += own
    if (length <= ARGUMENTS) groups.at(-1)!.push(change)
    else {
      groups.push([change])
      length = own
    }
  }
  return groups
}

/** The variables for a change; for several, only their number. */
export function changeVariables(changes: readonly FollowedChange[]): Record<string, string> {
  const [first, second] = changes
  const count = {COUNT: String(changes.length)}
  if (!first || second) return namedVariables(count)
  const {time, kinds, path = '', from = '', who = '', size = '', mimeType = ''} = first
  return namedVariables({
    ...count,
    TIME: time,
    KIND: kinds.join(','),
    PATH: path,
    FROM: from,
    WHO: who,
    SIZE: String(size),
    FILE_ID: first.fileId,
    TITLE: first.title,
    MIME_TYPE: mimeType,
    ID: first.id,
  })
}

/** A variable cannot contain NUL. */
function namedVariables(values: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(values)
  return Object.fromEntries(
    entries.map(([name, value]) => [`DRV_CHANGE_${name}`, value.replaceAll('\0', '\ufffd')]),
  )
}

/**
 * Runs the command once and returns its exit status: 128 plus the signal number if a signal ended it.
 * The changes are its standard input, one JSON document per line. Throws `CommandError` if it cannot
 * be started.
 */
export async function runCommand(
  command: readonly string[] | string,
  changes: readonly FollowedChange[],
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  const [program, ...words] =
    typeof command === 'string'
      ? ['sh', '-c', command, 'sh', ...changes.map(changeWord)]
      : commandWords(command, changes)
  const env = {...environment, ...changeVariables(changes)}
  const child = spawn(program!, words, {env, stdio: ['pipe', 'inherit', 'inherit']})
  // A command need not read its standard input.
  child.stdin.on('error', () => undefined)
  child.stdin.end(changes.map(change => `${safeJson(changeRow(change))}\n`).join(''))
  return new Promise((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      const reason = error.code === 'ENOENT' ? 'command not found' : reasonOf(error)
      reject(new CommandError('failed', `Cannot run ${program}: ${reason}.`))
    })
    child.once('exit', (code, signal) => {
      resolve(code ?? 128 + (signal ? constants.signals[signal] : 0))
    })
  })
}
