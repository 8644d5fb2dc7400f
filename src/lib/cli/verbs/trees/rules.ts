import {Flags} from '@oclif/core'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'
import {count} from '#lib/cli/terminal/units.js'
import type {GivenRules, Rules} from '#lib/transfer/local/rules.js'
import type {LeftOut} from '#lib/transfer/tree/entries.js'

/** The flags that say what of a tree stays where it is. */

const globs = {helpValue: 'GLOB', multiple: true, multipleNonGreedy: true} as const

export const ruleFlags = {
  exclude: ranked(
    18,
    Flags.string({
      summary:
        'Leave out what matches, on both sides, by the rules of .gitignore; a slash at its start means the top of what --dry-run shows.',
      ...globs,
    }),
  ),
  include: ranked(
    19,
    Flags.string({
      summary:
        'Take what matches after all: it wins over every --exclude, and both over every .drvignore, wherever they stand.',
      ...globs,
    }),
  ),
}

/** Throws `UsageError` where nothing is left out that could be taken after all. */
export function checkIncludes({include = []}: GivenRules, rules: Rules): void {
  if (include.length === 0 || rules.isAny()) return
  throw new UsageError(
    '--include takes what --exclude or a .drvignore leaves out, and nothing is left out.',
    "For nothing but what matches, in folders too, add --exclude '*' --include '*/'.",
  )
}

/** `3 folders, 12 files`; nothing where there is none. */
export function leftOutText({folders, files}: LeftOut): string {
  return [folders > 0 && count(folders, 'folder'), files > 0 && count(files, 'file')]
    .filter(Boolean)
    .join(', ')
}
