import {Flags} from '@oclif/core'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'
import {count} from '#lib/cli/terminal/units.js'
import {typeCriterion} from '#lib/cli/verbs/everyday/type-criterion.js'
import type {GivenRules, IgnoreRules} from '#lib/transfer/local/rules.js'
import type {Excluded} from '#lib/transfer/tree/entries.js'
import type {IsWanted} from '#lib/transfer/tree/exclusions.js'

/** The flags that exclude files from push, pull and check. */

const patterns = {helpValue: 'PATTERN', multiple: true, multipleNonGreedy: true} as const

export const ruleFlags = {
  exclude: ranked(
    18,
    Flags.string({
      summary:
        'Exclude matching files on both sides (.gitignore syntax); a leading slash anchors PATTERN at the top of the tree.',
      ...patterns,
    }),
  ),
  include: ranked(
    19,
    Flags.string({
      summary: 'Include matching files despite --exclude. Both flags override .drvignore.',
      ...patterns,
    }),
  ),
}

/** The test for `--type`; `undefined` without the flag. Throws `UsageError` for an invalid value. */
export async function wantedBy(type: string | undefined): Promise<IsWanted | undefined> {
  if (type === undefined) return undefined
  const {matches = () => true} = await typeCriterion(type)
  return ({title, mimeType}) => matches({title, mimeType})
}

/**
 * Whether no rule excludes anything that `--include` could include. While a plan is computed, a .drvignore may still be
 * found.
 */
export function isIncludeIdle({include = []}: GivenRules, rules: IgnoreRules): boolean {
  return include.length > 0 && !rules.isAny()
}

/** Throws `UsageError` for `--include` if no rule excludes anything. */
export function checkIncludes(given: GivenRules, rules: IgnoreRules): void {
  if (!isIncludeIdle(given, rules)) return
  throw new UsageError(
    '--include has no effect: no --exclude or .drvignore excludes any files.',
    "To transfer only matching files, add --exclude '*' --include '*/'.",
  )
}

/** `3 folders, 12 files`; empty if both are zero. */
export function excludedText({folders, files}: Excluded): string {
  return [folders > 0 && count(folders, 'folder'), files > 0 && count(files, 'file')]
    .filter(Boolean)
    .join(', ')
}
