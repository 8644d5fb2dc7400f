import {Flags} from '@oclif/core'
import {operation} from '#lib/api/operations.js'
import {confirmDestroying} from '#lib/cli/guard/confirm-destroying.js'
import {refuseChanges} from '#lib/cli/guard/read-only.js'
import type {MissingInput, PartialInput} from '#lib/cli/input/missing-inputs.js'
import {yesFlag} from '#lib/cli/run/operation-command.js'
import type {Step} from '#lib/cli/run/plan.js'
import {verb} from '#lib/cli/run/verb.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'
import {
  changeAccess,
  countFilesAndPeople,
  readFilesAndPeople,
  readPairs,
  sharingArgs,
  sharingFlags,
} from '#lib/cli/verbs/sharing/change-access.js'
import {removeEverywhere} from '#lib/cli/verbs/sharing/everywhere.js'
import {CHANGE_COLUMNS, unsharingSteps} from '#lib/cli/verbs/sharing/plan.js'

const FILE: MissingInput = {
  in: 'args',
  name: 'words',
  message: 'File to stop sharing',
  kind: 'file',
}
const WHO: MissingInput = {in: 'args', name: 'words', message: 'Remove access of', kind: 'access'}

export default verb({
  everyDay: 12,
  summary: "Remove people's access to files.",
  description:
    'Access inherited from a folder or a shared drive must be removed there; the error message names it. Exits with code 5 if WHO has no access. Removing your own access requires confirmation or --yes.',
  usage: 'unshare FILE... WHO... [FLAGS]',
  examples: [
    ['Stop sharing a file with someone', 'unshare /Reports/q3.pdf ada@example.com'],
    ['Remove public link access from a file', 'unshare /Reports/q3.pdf anyone'],
    ['Remove someone from every file', 'unshare --everywhere ada@example.com'],
    [
      'Remove your own access to a file, without confirmation',
      'unshare shared:/plan.txt me@example.com --yes',
    ],
  ],
  args: sharingArgs,
  flags: {
    yes: yesFlag,
    everywhere: ranked(
      11,
      Flags.boolean({
        summary: 'Remove WHO from every file; takes no FILE.',
      }),
    ),
    ...sharingFlags,
  },
  effect: 'may destroy',
  isPlannable: true,
  columns: CHANGE_COLUMNS,
  acceptedScopes: operation('permissions.delete').scopes,
  beforeAsking: context => refuseChanges(context, `\`drv ${context.command}\``),
  missing(input: PartialInput): readonly MissingInput[] {
    if (input.flags.from !== undefined) return []
    const {files, whos} = countFilesAndPeople(input)
    if (input.flags.everywhere) return whos === 0 ? [WHO] : []
    return [...(files === 0 ? [FILE] : []), ...(whos === 0 ? [WHO] : [])]
  },
  async run(input, context, printer) {
    const {from, yes: isYes, everywhere: isEverywhere} = input.flags
    const named = await readFilesAndPeople(input, false, context, {isFileNeeded: !isEverywhere})
    if (isEverywhere && (named.files.length > 0 || from !== undefined)) {
      throw new UsageError(
        '--everywhere applies to all files and cannot be combined with FILE or --from.',
        'Omit FILE and --from, or omit --everywhere.',
      )
    }
    if (named.whos.length === 0 && from === undefined) {
      throw new UsageError('Missing WHO: an email address, @example.com or anyone.')
    }
    await refuseChanges(context, '`drv unshare`')
    const confirm = async (steps: readonly Step[]) => {
      const inputs = steps.flatMap(step => ('call' in step ? [step.call.input] : []))
      await confirmDestroying(context, {operation: 'permissions.delete', inputs, isYes})
    }
    if (isEverywhere) return removeEverywhere(context, named.whos, printer, confirm)
    const {pairs, looked: accessByFile} = await readPairs(named, from, false, context)
    const steps = await unsharingSteps({client: await context.client(), accessByFile}, pairs)
    if (!context.options.dryRun) await confirm(steps)
    await changeAccess(steps, context, printer)
  },
})
