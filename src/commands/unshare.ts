import {Flags} from '@oclif/core'
import {operation} from '#lib/api/operations.js'
import {askBeforeDestroying} from '#lib/cli/guard/confirm-destroying.js'
import {refuseChanges} from '#lib/cli/guard/read-only.js'
import type {MissingInput, PartialInput} from '#lib/cli/input/missing-inputs.js'
import {yes} from '#lib/cli/run/operation-command.js'
import type {Step} from '#lib/cli/run/plan.js'
import {verb} from '#lib/cli/run/verb.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'
import {
  changeAccess,
  countWords,
  namedOnLine,
  readPairs,
  sharingArgs,
  sharingFlags,
} from '#lib/cli/verbs/sharing/change-access.js'
import {endEverywhere} from '#lib/cli/verbs/sharing/everywhere.js'
import {CHANGE_COLUMNS, unsharingSteps} from '#lib/cli/verbs/sharing/plan.js'

const FILE: MissingInput = {in: 'args', name: 'words', message: 'Stop sharing', kind: 'file'}
const WHO: MissingInput = {in: 'args', name: 'words', message: 'Whose access ends', kind: 'access'}

export default verb({
  everyDay: 12,
  summary: 'Take away the access that people have to files.',
  description:
    'What comes from a folder above or from a shared drive is taken away there: the message says where. Ends with code 5 for somebody who has no access. Your own access ends only once you said so, or with --yes.',
  usage: 'unshare FILE... WHO... [FLAGS]',
  examples: [
    ['Stop sharing a file with somebody', 'unshare /Reports/q3.pdf ada@example.com'],
    ['Close what everybody with the link could read', 'unshare /Reports/q3.pdf anyone'],
    ['End somebody’s access to everything', 'unshare --everywhere ada@example.com'],
    [
      'Leave a file that others share, without a question',
      'unshare shared:/plan.txt me@example.com --yes',
    ],
  ],
  args: sharingArgs,
  flags: {
    yes,
    everywhere: ranked(
      11,
      Flags.boolean({
        summary: 'End their access to every file, wherever it was given; names no files.',
      }),
    ),
    ...sharingFlags,
  },
  effect: 'may destroy',
  columns: CHANGE_COLUMNS,
  acceptedScopes: operation('permissions.delete').scopes,
  beforeAsking: context => refuseChanges(context, `\`drv ${context.command}\``),
  missing(given: PartialInput): readonly MissingInput[] {
    if (given.flags.from !== undefined) return []
    const {files, whos} = countWords(given)
    if (given.flags.everywhere) return whos === 0 ? [WHO] : []
    return [...(files === 0 ? [FILE] : []), ...(whos === 0 ? [WHO] : [])]
  },
  async run(given, context, printer) {
    const {from, yes: isYes, everywhere: isEverywhere} = given.flags
    const named = await namedOnLine(given, false, context, {isFileNeeded: !isEverywhere})
    if (isEverywhere && (named.files.length > 0 || from !== undefined)) {
      throw new UsageError(
        '--everywhere is about all files, so none can be named.',
        'Leave out the files, or --everywhere.',
      )
    }
    if (named.whos.length === 0 && from === undefined) {
      throw new UsageError('WHO is missing: an e-mail address, @example.com or anyone.')
    }
    await refuseChanges(context, '`drv unshare`')
    const confirm = async (steps: readonly Step[]) => {
      const inputs = steps.flatMap(step => ('call' in step ? [step.call.input] : []))
      await askBeforeDestroying(context, {operation: 'permissions.delete', inputs, isYes})
    }
    if (isEverywhere) return endEverywhere(context, named.whos, printer, confirm)
    const {pairs, looked} = await readPairs(named, from, false, context)
    const steps = await unsharingSteps({client: await context.client(), looked}, pairs)
    if (!context.options.dryRun) await confirm(steps)
    await changeAccess(steps, context, printer)
  },
})
