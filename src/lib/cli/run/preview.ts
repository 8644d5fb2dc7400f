import {type Failure, failureRecord} from '#lib/cli/explain/explain.js'
import {curlText, type PlannedRequest} from '#lib/cli/guard/curl.js'
import type {Row} from '#lib/cli/output/format.js'
import {problemLine} from '#lib/cli/terminal/units.js'
import type {PreparedRequest} from '#lib/client/client.js'
import {safeJson} from '#lib/platform/sanitize.js'
import {type Engine, whileIdle} from './engine.js'
import {labelOf, previewOf, type Step} from './plan.js'

/** Steps that are shown together, unless fewer are at hand. */
const PIECE = 100

/**
 * The columns of what any dry run shows, in their order: what would be done, with what, how many bytes
 * that moves, why it would fail or be left alone; and for programs the request and the whole error.
 */
export const PREVIEW_COLUMNS: readonly string[] = ['action', 'input', 'bytes', 'reason']

/** A step as any dry run shows it. */
function previewRow(step: Step, request: PreparedRequest | undefined, failure?: Failure): Row {
  const {original: input, action, bytes} = step
  const done = action ?? ('call' in step ? step.call.id : undefined)
  const reason = failure?.message ?? ('isUnchanged' in step ? step.reason : undefined)
  return {
    ...(failure
      ? {action: 'fail'}
      : reason === undefined
        ? done && {action: done}
        : {action: 'skip'}),
    input,
    ...(bytes !== undefined && {bytes}),
    ...(reason !== undefined && {reason}),
    ...(request && {request}),
    ...(failure && {error: failureRecord(failure)}),
  }
}

interface PreviewOptions {
  readonly isCurl?: boolean
  /** Prints rows for people too, rather than whole requests. */
  readonly isOfRows?: boolean
}

/** Prints what a plan would do, a row for each step, and does none of it (`--dry-run`, `--curl`). Gives how many steps would fail. */
export async function previewPlan(
  {context, results, explain}: Engine,
  plan: readonly Step[] | AsyncIterable<Step>,
  {isCurl = false, isOfRows = false}: PreviewOptions,
): Promise<number> {
  const client = await context.client()
  const {rows, end, pieceSize = PIECE} = results.text()
  const {isStructured} = results.output
  const areTexts = !isStructured && !isOfRows
  const areRows = !areTexts && !isCurl
  let gathered: Row[] = []
  let lines: PlannedRequest[] = []
  let failing = 0

  async function flush(): Promise<void> {
    const [requests, records] = [lines, gathered]
    lines = []
    gathered = []
    if (requests.length > 0) await results.show(await curlText(context, requests))
    else if (areRows && records.length > 0) {
      await results.show(await rows(isOfRows ? await results.prepared(records) : records))
    }
  }

  for await (const step of whileIdle(stepsOf(plan), isOfRows ? async () => {} : flush)) {
    if ('error' in step) {
      const failure = explain(step.error)
      failing += 1
      gathered.push(previewRow(step, undefined, failure))
      if (areTexts) context.io.say(`Would fail: ${problemLine(labelOf(step), failure.message)}`)
    } else if (!('isUnchanged' in step) || step.reason !== undefined) {
      const planned = await previewOf(step)
      const request = planned && client.prepare(planned[0], planned[1])
      gathered.push(previewRow(step, request))
      if (isCurl && planned) lines.push(planned)
      else if (areTexts && request) await results.show(requestText(request))
    }
    if (!Array.isArray(plan) && Math.max(gathered.length, lines.length) >= pieceSize) await flush()
  }
  await flush()
  if (areRows && end) await results.show(await end({}))
  return failing
}

async function* stepsOf(plan: readonly Step[] | AsyncIterable<Step>): AsyncGenerator<Step> {
  yield* plan
}

/** A request as people read it. */
export function requestText({method, url, headers, body}: PreparedRequest): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\n`)
  return `${method} ${url}\n${lines.join('')}${body ? `\n${safeJson(body, 2)}\n` : ''}`
}
