import {spawn} from 'node:child_process'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'

interface Editing {
  readonly environment: NodeJS.ProcessEnv
  readonly platform: NodeJS.Platform
  /** Whether a person is there to use an editor that nobody named. */
  readonly isInteractive: boolean
}

/** The editor's command line: `VISUAL`, `EDITOR`, or the usual one at a terminal. Throws `UsageError`. Pure. */
export function editorFor({environment, platform, isInteractive}: Editing): string {
  const named = [environment.VISUAL, environment.EDITOR].find(line => line?.trim())
  if (named !== undefined) return named
  if (isInteractive) return platform === 'win32' ? 'notepad' : 'vi'
  throw new UsageError(
    'There is no editor: this is not a terminal, and EDITOR is not set.',
    'Set EDITOR, or upload new content with `drv files update FILE PATH`.',
  )
}

/** Opens local files in an editor, and waits until it has ended. Throws `CommandError` where it fails. */
export async function openEditor(line: string, paths: readonly string[]): Promise<void> {
  const isWindows = process.platform === 'win32'
  // The line may have flags of its own, so a shell takes it apart; the paths go to it as they are.
  const child = isWindows
    ? spawn(`${line} ${paths.map(path => `"${path}"`).join(' ')}`, {shell: true, stdio: 'inherit'})
    : spawn('/bin/sh', ['-c', `${line} "$@"`, 'sh', ...paths], {stdio: 'inherit'})
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  if (code === 0) return
  const why = code === null ? 'was ended by a signal' : `ended with code ${code}`
  throw new CommandError('failed', `The editor ${line} ${why}; nothing was uploaded.`)
}
