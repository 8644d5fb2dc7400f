import {Args, Flags} from '@oclif/core'
import {limitRateFlag} from '#lib/cli/input/shared-flags.js'
import {yesFlag} from '#lib/cli/run/operation-command.js'
import {PREVIEW_COLUMNS} from '#lib/cli/run/preview.js'
import {verb} from '#lib/cli/run/verb.js'
import {progressFlag} from '#lib/cli/terminal/progress.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'
import {applyPlanFile} from '#lib/cli/verbs/plans/apply.js'

const RESULT_COLUMNS = ['plan', 'steps', 'done', 'doneBefore', 'bytes', 'left', 'seconds']

export default verb({
  summary: 'Apply a plan written with --plan.',
  description: [
    'Asks once for confirmation, then makes the changes in the plan. If an item or a local file has changed since the plan was made, its step is skipped and reported as a conflict: exit code 12 if conflicts are the only problems, otherwise 9. An item that is already in its planned state counts as done.',
    'Records completed steps in FILE.done, or in FILE.K-of-N.done with --shard; run the same command again to resume. Refuses a plan that is invalid, or for another service or account, with exit code 2 before it changes anything.',
  ].join('\n\n'),
  usage: 'apply FILE [FLAGS]',
  examples: [
    [
      'Plan an upload, then apply it',
      '$ drv push build/ /Site --delete --plan site.plan && drv apply site.plan --yes',
    ],
    ['Apply only some files', 'apply site.plan --only "*.html" --yes'],
    ['Apply the third of eight parts, such as in a CI matrix', 'apply site.plan --shard 3/8 --yes'],
  ],
  args: {
    file: Args.string({
      description: 'Plan file, or - for standard input.',
      required: true,
      ignoreStdin: true,
    }),
  },
  flags: {
    yes: yesFlag,
    only: ranked(
      11,
      Flags.string({
        summary:
          'Apply only steps whose name or path matches PATTERN, and the steps that they depend on.',
        helpValue: 'PATTERN',
      }),
    ),
    shard: ranked(
      12,
      Flags.string({
        summary: 'Apply part K of N; steps that depend on each other stay together.',
        helpValue: 'K/N',
      }),
    ),
    checkpoint: ranked(
      13,
      Flags.string({
        summary: 'Record progress in this file (default: the name of the plan with .done).',
        helpValue: 'FILE',
      }),
    ),
    concurrency: ranked(
      1006,
      Flags.string({
        summary: 'Maximum number of concurrent requests (default: adaptive).',
        helpValue: 'N',
      }),
    ),
    ...limitRateFlag,
    ...progressFlag,
  },
  effect: 'may destroy',
  appliesPlan: true,
  columns: flags => (flags['dry-run'] ? PREVIEW_COLUMNS : RESULT_COLUMNS),
  async run({args, flags}, context, printer) {
    await applyPlanFile(context, printer, args.file, flags)
  },
})
