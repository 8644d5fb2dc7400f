import type {Context} from '#lib/cli/context/context.js'
import type {Row} from '#lib/cli/output/format.js'
import {openPlan, type PlanFile} from '#lib/cli/plan-file/read-plan.js'
import {createPlanSummary} from '#lib/cli/plan-file/summary.js'
import type {Printer} from '#lib/cli/run/printer.js'
import {printable} from '#lib/platform/sanitize.js'
import {gatherCalls} from '#lib/transfer/remote/gather.js'
import {refuseOtherService} from './apply-target.js'
import {readPlanItems} from './examine-item.js'
import {stepGroups} from './plan-steps.js'
import {changedFields} from './step-diff.js'

export const STEP_COLUMNS: readonly string[] = ['key', 'action', 'label', 'effect', 'bytes', 'path']
export const DIFF_COLUMNS: readonly string[] = ['key', 'label', 'field', 'before', 'after']

/** Rows to print at once, unless the format sets another number. */
const PIECE = 100

/** Prints the steps of a plan file, or with `isDiff` the fields that they change. */
export async function showPlan(
  context: Context,
  printer: Printer,
  file: string,
  isDiff: boolean,
): Promise<void> {
  const plan = await openPlan(file, context.io.stdin)
  context.onEnd(() => plan.close())
  const summary = createPlanSummary()
  // An invalid plan is not shown, not even in part.
  for await (const step of plan.steps()) summary.add(step)
  if (isDiff) await refuseOtherService(context, plan)
  const rows = isDiff ? diffRows(context, plan) : stepRows(plan)
  await printRows(printer, isDiff ? DIFF_COLUMNS : STEP_COLUMNS, rows)
  const {command, time, service} = plan.head
  const made = `${time.slice(0, 16).replace('T', ' ')} UTC, ${printable(service, 200)}`
  context.note(`${printable(command, 1000)} (${made}): ${summary.text()}.`)
}

async function* stepRows(plan: PlanFile): AsyncGenerator<Row> {
  for await (const step of plan.steps()) {
    const bytes = step.local?.size ?? step.output?.size
    yield {...step, ...(bytes !== undefined && {bytes})}
  }
}

/** The changed fields of each step, compared with its item as it is now. */
async function* diffRows(context: Context, plan: PlanFile): AsyncGenerator<Row> {
  const client = await context.client()
  for await (const group of stepGroups(plan, () => true)) {
    const items = await readPlanItems(gatherCalls(client), group)
    for (const [index, step] of group.entries()) {
      const {key, label} = step
      for (const change of changedFields(step, items[index])) yield {key, label, ...change}
    }
  }
}

/** Prints rows as they arrive. */
async function printRows(
  printer: Printer,
  columns: readonly string[],
  source: AsyncIterable<Row>,
): Promise<void> {
  const {output} = printer
  const {rows, end, pieceSize = PIECE} = (output.array ?? output.list)(printer.layout(columns))
  let held: Row[] = []
  const write = async () => {
    const some = held
    held = []
    if (some.length > 0) await printer.show(await rows(await printer.prepare(some)))
  }
  for await (const row of source) {
    held.push(row)
    if (held.length >= pieceSize) await write()
  }
  await write()
  if (end) await printer.show(await end({}))
}
