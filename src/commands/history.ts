import {Flags} from '@oclif/core'
import {momentIn, TIME_HINT} from '#lib/api/moment.js'
import type {Row} from '#lib/cli/output/format.js'
import {verb} from '#lib/cli/run/verb.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'
import {listedRuns, type RecordedHistory, withHistory} from '#lib/cli/verbs/history/read-history.js'
import {
  concerns,
  HISTORY_STEP_COLUMNS,
  MORE_COLUMNS,
  RUN_COLUMNS,
  runRow,
  stepRow,
} from '#lib/cli/verbs/history/rows.js'
import type {RunSummary} from '#lib/history/runs.js'
import {selectSteps, type StepSummary} from '#lib/history/step-columns.js'

export default verb({
  summary: 'List the commands that changed something.',
  description:
    'Lists the newest command first, with an ID for `drv undo`. The history is stored on this machine only, for 90 days (`drv config set history.days N`), without content or tokens. With --no-history or DRV_NO_HISTORY=1, a command is not recorded.',
  examples: [
    ['List the commands of the last week', 'history --since 7d'],
    ['List every change in a folder', 'history --steps --path /Reports'],
  ],
  flags: {
    since: ranked(
      0,
      Flags.string({
        summary: 'List only commands since this time, such as 2h, 7d or 2026-01-31.',
        helpValue: 'TIME',
      }),
    ),
    path: ranked(
      1,
      Flags.string({
        summary:
          'List only changes to this file, or in this folder (its path at that time, or its ID).',
        helpValue: 'PATH',
      }),
    ),
    steps: ranked(
      2,
      Flags.boolean({summary: 'List each change, whether it is undoable, and the reason if not.'}),
    ),
  },
  effect: 'reads',
  usesToken: false,
  columns: [...new Set([...RUN_COLUMNS, ...HISTORY_STEP_COLUMNS, ...MORE_COLUMNS])],
  async run({flags}, context, printer) {
    const {since, path, steps: isOfSteps} = flags
    const start = since === undefined ? -Infinity : momentIn(since, context.now())
    if (start === undefined) {
      throw new UsageError(`Invalid --since: "${since}" is not a time.`, TIME_HINT)
    }
    await withHistory(context, async history => {
      const isOfPath = (step: StepSummary) => concerns(history.step(step), path!)
      const chosen = (run: RunSummary) =>
        path === undefined ? run : {...run, steps: selectSteps(run.steps, isOfPath)}
      const runs = listedRuns(history, context)
        .filter(({time}) => Date.parse(time) >= start)
        .map(chosen)
        .filter(({steps}) => steps.length > 0)
        .reverse()
      if (!isOfSteps) return printer.records(runs.map(runRow), RUN_COLUMNS, 'command')
      await printer.records(stepRows(runs, history), HISTORY_STEP_COLUMNS, 'recordedChange')
    })
  },
})

/** The rows of all changes, the newest first, as they are read: there may be millions. */
function* stepRows(runs: readonly RunSummary[], history: RecordedHistory): Generator<Row> {
  for (const run of runs) {
    for (let index = run.steps.length - 1; index >= 0; index--) {
      yield stepRow(history.step(run.steps.at(index)), run)
    }
  }
}
