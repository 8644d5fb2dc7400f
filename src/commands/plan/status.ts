import {Args} from '@oclif/core'
import {verb} from '#lib/cli/run/verb.js'
import {planStatus} from '#lib/cli/verbs/plans/status.js'

const COLUMNS = ['part', 'steps', 'done', 'conflicts', 'failed', 'left']

export default verb({
  summary: 'Show how much of a plan has been applied.',
  description:
    'Merges the checkpoints of all runs and shards of `drv apply`. Without CHECKPOINT, reads FILE.done and all FILE.K-of-N.done. A step that one run completed counts as done, even if it failed in another.',
  usage: 'plan status FILE [CHECKPOINT...] [FLAGS]',
  examples: [
    ['Show the progress of a plan', 'plan status site.plan'],
    ['Merge the checkpoints of several machines', 'plan status site.plan out/*.done'],
  ],
  args: {
    file: Args.string({description: 'Plan file.', required: true, ignoreStdin: true}),
    checkpoint: Args.string({
      description: 'Checkpoints that `drv apply` wrote.',
      multiple: true,
      ignoreStdin: true,
    }),
  },
  effect: 'reads',
  columns: COLUMNS,
  async run({args, words}, context, printer) {
    const [, ...checkpoints] = words
    const rows = await planStatus(args.file, checkpoints, context.io.stdin)
    await printer.records(
      rows.map(row => ({...row})),
      COLUMNS,
    )
  },
})
