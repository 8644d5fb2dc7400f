import {Flags} from '@oclif/core'
import {confirmDestroying} from '#lib/cli/guard/confirm-destroying.js'
import {yesFlag} from '#lib/cli/run/operation-command.js'
import {keptCount, planPrune} from '#lib/cli/verbs/content/revisions.js'
import {contentFilesArg, filesOf, fromFlag} from '#lib/cli/verbs/everyday/path-arguments.js'
import {stepsCommand} from '#lib/cli/verbs/everyday/steps-command.js'

export default stepsCommand('revisions.delete', {
  summary: 'Delete all but the newest revisions of files.',
  description:
    'FILE is a path, a link or an ID. Pinned revisions are kept in addition to the N newest. Deleted revisions cannot be restored, so drv asks for confirmation at a terminal and requires --yes elsewhere.',
  usage: 'revisions prune FILE... --keep N [FLAGS]',
  examples: [
    ['Keep the three newest revisions', 'revisions prune /Reports/q3.pdf --keep 3 --yes'],
    ['Preview the deletions', 'revisions prune /Reports/q3.pdf --keep 1 --dry-run'],
  ],
  args: contentFilesArg,
  flags: {
    keep: Flags.string({
      summary: 'Number of revisions to keep per file.',
      helpValue: 'N',
      required: true,
    }),
    yes: yesFlag,
    ...fromFlag,
  },

  async plan(context, {args, flags}) {
    const keep = keptCount(String(flags.keep))
    const words = await filesOf(context, {words: args.file_id, from: flags.from})
    const steps = await planPrune(context, words, keep)
    const inputs = steps.flatMap(step => ('call' in step ? [step.call.input] : []))
    if (inputs.length === 0 && steps.length === 0) context.note('No revisions to delete.')
    if (!context.options.dryRun && inputs.length > 0) {
      await confirmDestroying(context, {
        operation: 'revisions.delete',
        inputs,
        isYes: Boolean(flags.yes),
      })
    }
    return steps
  },
})
