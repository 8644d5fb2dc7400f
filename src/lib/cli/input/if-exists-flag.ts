import {Flags} from '@oclif/core'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {IF_EXISTS, type IfExists} from '#lib/transfer/resolve-conflict.js'
import type {Values} from './call-input.js'

/** The flag that says what becomes of content whose name is taken; `otherwise` is what happens without it. */
export function ifExistsFlag(otherwise: string) {
  return {
    'if-exists': Flags.string({
      summary: `What to do where a file of that name is there; rename gives "report (1).pdf". ${otherwise}`,
      options: [...IF_EXISTS],
    }),
  }
}

/** What the flag says, if it was given. */
export function ifExistsOf(flags: Values): IfExists | undefined {
  return flags['if-exists'] as IfExists | undefined
}

/** The same for a tree. Throws `UsageError` where one flag would undo the other. */
export function treeIfExists(flags: Values): IfExists {
  const ifExists = ifExistsOf(flags) ?? 'replace'
  if (ifExists !== 'rename' || !flags.delete) return ifExists
  throw new UsageError(
    '--if-exists rename keeps what only one side has, and --delete takes it away.',
    'Leave out one of them.',
  )
}
