import {failureRecord} from '#lib/cli/explain/explain.js'
import {curlText, type PlannedRequest} from '#lib/cli/guard/curl.js'
import type {Row} from '#lib/cli/output/format.js'
import {problemLine} from '#lib/cli/terminal/units.js'
import type {PreparedRequest} from '#lib/client/client.js'
import {safeJson} from '#lib/platform/sanitize.js'
import {type Engine, whileIdle} from './engine.js'
import {labelOf, previewOf, type Step} from './plan.js'

/** Steps that are shown together, unless fewer are at hand. */
const PIECE = 100

/** Prints what a plan would send, one request a step, and sends none of it (`--dry-run`, `--curl`). */
export async function previewPlan(
  {context, results, explain}: Engine,
  plan: readonly Step[] | AsyncIterable<Step>,
  isCurl: boolean,
): Promise<void> {
  const client = await context.client()
  const {rows, end} = results.text()
  const {isStructured} = results.output
  let gathered: Row[] = []
  let lines: PlannedRequest[] = []

  async function flush(): Promise<void> {
    const [requests, records] = [lines, gathered]
    lines = []
    gathered = []
    if (requests.length > 0) await results.show(await curlText(context, requests))
    else if (isStructured && !isCurl && records.length > 0) await results.show(await rows(records))
  }

  for await (const step of whileIdle(stepsOf(plan), flush)) {
    const {original: input} = step
    if ('error' in step) {
      const failure = explain(step.error)
      gathered.push({input, error: failureRecord(failure)})
      if (!isStructured) {
        const line = problemLine(labelOf(step), failure.message)
        context.io.say(`Would fail: ${line}`)
      }
    } else if (!('isUnchanged' in step)) {
      const planned = await previewOf(step)
      const request = client.prepare(planned[0], planned[1])
      gathered.push({input, request})
      if (isCurl) lines.push(planned)
      else if (!isStructured) await results.show(requestText(request))
    }
    if (!Array.isArray(plan) && Math.max(gathered.length, lines.length) >= PIECE) await flush()
  }
  await flush()
  if (!isCurl && isStructured && end) await results.show(await end({}))
}

async function* stepsOf(plan: readonly Step[] | AsyncIterable<Step>): AsyncGenerator<Step> {
  yield* plan
}

/** A request as people read it. */
export function requestText({method, url, headers, body}: PreparedRequest): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\n`)
  return `${method} ${url}\n${lines.join('')}${body ? `\n${safeJson(body, 2)}\n` : ''}`
}
