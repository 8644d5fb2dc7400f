import type {Context} from '#lib/cli/context/context.js'
import {explain} from '#lib/cli/explain/explain.js'
import type {PlanFile} from '#lib/cli/plan-file/read-plan.js'
import type {Engine} from '#lib/cli/run/engine.js'
import type {Step} from '#lib/cli/run/plan.js'
import {PREVIEW_COLUMNS, printPreview} from '#lib/cli/run/preview.js'
import type {Printer} from '#lib/cli/run/printer.js'
import {printerResults} from '#lib/cli/run/report.js'
import {gatherCalls} from '#lib/transfer/remote/gather.js'
import {examineItems} from './examine-item.js'
import {requestOf, stepGroups} from './plan-steps.js'

/** Shows what `drv apply` would do: each step, and which items have changed since the plan was made. */
export async function previewApply(
  context: Context,
  printer: Printer,
  plan: PlanFile,
  isWanted: (key: number) => boolean,
): Promise<void> {
  const client = await context.client()
  async function* steps(): AsyncGenerator<Step> {
    for await (const group of stepGroups(plan, isWanted)) {
      const verdicts = await examineItems(gatherCalls(client), group, true)
      for (const [index, step] of group.entries()) {
        const {label: original, action, operation, local, output} = step
        const bytes = local?.size ?? output?.size
        const facts = {original, action, ...(bytes !== undefined && {bytes})}
        const verdict = verdicts[index]!
        if (verdict === 'done') {
          yield {...facts, isUnchanged: true, reason: 'the item is already in its planned state'}
        } else if (verdict !== 'open') {
          yield {...facts, isUnchanged: true, reason: `conflict: ${verdict.conflict}`}
        } else if (operation) {
          yield {...facts, work: async () => undefined, preview: async () => requestOf(step)}
        } else yield {...facts, here: () => undefined}
      }
    }
  }
  await printPreview(engineFor(context, printer), steps(), {isOfRows: true})
}

/** The engine for the steps of a plan file. */
export function engineFor(context: Context, printer: Printer): Engine {
  return {
    context,
    explain: error => explain(error, {flags: [], environmentToken: false}),
    results: printerResults(printer, () => printer.layout(PREVIEW_COLUMNS)),
  }
}
