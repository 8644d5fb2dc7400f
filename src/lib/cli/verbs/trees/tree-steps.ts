import type {Context} from '#lib/cli/context/context.js'
import {explain} from '#lib/cli/explain/explain.js'
import type {Engine} from '#lib/cli/run/engine.js'
import type {Step} from '#lib/cli/run/plan.js'
import {PREVIEW_COLUMNS} from '#lib/cli/run/preview.js'
import type {Printer} from '#lib/cli/run/printer.js'
import {printerResults} from '#lib/cli/run/report.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import type {Direction} from '#lib/cli/terminal/units.js'

/** A step of a push or pull plan. */
interface PlannedStep {
  readonly action: string
  readonly path: string
  readonly reason?: string
  readonly local?: {readonly size: number; readonly stream?: unknown}
  readonly remote?: {readonly size: number; readonly exported?: unknown}
}

/**
 * The common fields of an engine step. `side` is the side that content comes from. The size of an export or a
 * stream is unknown until its last byte.
 */
export function stepFacts({action, path, ...step}: PlannedStep, side: 'local' | 'remote') {
  const source = step[side]
  const isOpen = source && (('exported' in source && source.exported) || 'stream' in source)
  const isKnown = source && !isOpen
  return {original: path, action, ...(isKnown && {bytes: source.size})}
}

/** The step that `--dry-run` shows. */
export function previewStep(step: PlannedStep, side: 'local' | 'remote'): Step {
  return stepWithoutTransfer(step) ?? {...stepFacts(step, side), here: () => undefined}
}

/** The step for an item that is unchanged, skipped or failed; `undefined` for any other action. */
export function stepWithoutTransfer(step: PlannedStep): Step | undefined {
  const {action, path: original, reason = ''} = step
  if (action === 'same') return {original, action, isUnchanged: true}
  if (action === 'skip') return {original, action, isUnchanged: true, reason}
  if (action === 'fail') return {original, action, error: new CommandError('failed', reason)}
  return undefined
}

/** The engine of a push or pull. */
export function treeEngine(context: Context, printer: Printer, direction: Direction): Engine {
  return {
    context,
    isReading: direction === 'pull',
    explain: error => explain(error, {flags: [], environmentToken: false}),
    results: printerResults(printer, () => printer.layout(PREVIEW_COLUMNS)),
  }
}
