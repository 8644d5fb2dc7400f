import {Args, Flags} from '@oclif/core'
import {verb} from '#lib/cli/run/verb.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'
import {DIFF_COLUMNS, showPlan, STEP_COLUMNS} from '#lib/cli/verbs/plans/show.js'

export default verb({
  summary: 'Show the steps of a plan.',
  description:
    'With --json, prints each step as it is in the plan: the request, the ETag of the item and the MD5 of the content. The summary goes to standard error.',
  examples: [
    ['Review a plan', 'plan show site.plan'],
    ['Show which fields change, before and after', 'plan show site.plan --diff'],
  ],
  args: {
    file: Args.string({
      description: 'Plan file, or - for standard input.',
      required: true,
      ignoreStdin: true,
    }),
  },
  flags: {
    diff: ranked(
      11,
      Flags.boolean({
        summary: 'Show each changed field with its current and planned value.',
      }),
    ),
  },
  effect: 'reads',
  columns: flags => (flags.diff ? DIFF_COLUMNS : STEP_COLUMNS),
  async run({args, flags}, context, printer) {
    await showPlan(context, printer, args.file, flags.diff)
  },
})
