import {spawn} from 'node:child_process'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'

interface Editing {
  readonly environment: NodeJS.ProcessEnv
  readonly platform: NodeJS.Platform
  /** Whether drv runs in a terminal, so that it can open a default editor. */
  readonly isInteractive: boolean
}

/** The command line of the editor: `VISUAL`, `EDITOR`, or the default at a terminal. Throws `UsageError`. Pure. */
export function editorFor({environment, platform, isInteractive}: Editing): string {
  const named = [environment.VISUAL, environment.EDITOR].find(line => line?.trim())
  if (named !== undefined) return named
  if (isInteractive) return platform === 'win32' ? 'notepad' : 'vi'
  throw new UsageError(
    'Cannot open an editor: not running in a terminal, and EDITOR is not set.',
    'Set EDITOR, or upload new content with `drv files update FILE PATH`.',
  )
}

/** Opens local files in an editor and waits until it exits. Throws `CommandError` if it fails. */
export async function openEditor(line: string, paths: readonly string[]): Promise<void> {
  const isWindows = process.platform === 'win32'
  // The line may contain flags, so a shell splits it; the paths are passed unchanged.
  const child = isWindows
    ? spawn(`${line} ${paths.map(path => `"${path}"`).join(' ')}`, {shell: true, stdio: 'inherit'})
    : spawn('/bin/sh', ['-c', `${line} "$@"`, 'sh', ...paths], {stdio: 'inherit'})
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  if (code === 0) return
  const reason = code === null ? 'was terminated by a signal' : `exited with code ${code}`
  throw new CommandError('failed', `The editor "${line}" ${reason}; nothing was uploaded.`)
}
