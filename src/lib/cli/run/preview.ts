import type {Change} from '#lib/cli/changes/change.js'
import {withExtents} from '#lib/cli/changes/planned-extent.js'
import {changeText} from '#lib/cli/changes/words.js'
import {failureRecord} from '#lib/cli/explain/explain.js'
import {curlText, type PlannedRequest} from '#lib/cli/guard/curl.js'
import {createLook, type Look} from '#lib/cli/guard/targets.js'
import type {Row} from '#lib/cli/output/format.js'
import {problemLine} from '#lib/cli/terminal/units.js'
import type {PreparedRequest} from '#lib/client/client.js'
import {safeJson} from '#lib/platform/sanitize.js'
import {type Engine, whileIdle} from './engine.js'
import {labelOf, previewOf, type Step} from './plan.js'

/** Steps that are shown together, unless fewer are at hand. */
const PIECE = 100

/** A step that would be carried out: its request, and what it changes for people. */
interface Shown {
  readonly change?: Change
  readonly planned: PlannedRequest
  readonly isAside: boolean
}

/**
 * Prints what a plan would do and does none of it (`--dry-run`): to people what would be changed and how
 * much that is, with --verbose also the requests; to programs the steps; with `isCurl` lines of curl.
 */
export async function previewPlan(
  {context, results, explain}: Engine,
  plan: readonly Step[] | AsyncIterable<Step>,
  isCurl: boolean,
): Promise<void> {
  const client = await context.client()
  const {rows, end} = results.text()
  const {isStructured} = results.output
  const look = createLook(client)
  let gathered: Row[] = []
  let shown: Shown[] = []

  async function flush(): Promise<void> {
    const [steps, records] = [shown, gathered]
    shown = []
    gathered = []
    if (isCurl && steps.length > 0) {
      await results.show(
        await curlText(
          context,
          steps.map(({planned}) => planned),
        ),
      )
    } else if (isStructured && !isCurl) {
      if (records.length > 0) await results.show(await rows(records))
    } else await results.show(await textOf(steps))
  }

  async function textOf(steps: readonly Shown[]): Promise<string> {
    const {verbose} = context.options
    const sentences = await sentencesOf(look, steps)
    return steps
      .map((step, index) => {
        const request = () => requestText(client.prepare(step.planned[0], step.planned[1]))
        const sentence = sentences[index]
        if (sentence === undefined) return step.isAside && !verbose ? '' : request()
        return `${sentence}\n${verbose ? request() : ''}`
      })
      .join('')
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
      const change = step.change && withContent(step.change(), planned)
      gathered.push({...(change && {action: change.action}), input, request})
      shown.push({change, planned, isAside: step.isAside ?? false})
    }
    if (!Array.isArray(plan) && Math.max(gathered.length, shown.length) >= PIECE) await flush()
  }
  await flush()
  if (!isCurl && isStructured && end) await results.show(await end({}))
}

async function* stepsOf(plan: readonly Step[] | AsyncIterable<Step>): AsyncGenerator<Step> {
  yield* plan
}

/** What would be changed by each step, in the order of the steps. */
async function sentencesOf(
  look: Look,
  steps: readonly Shown[],
): Promise<Array<string | undefined>> {
  const changes = steps.flatMap(({change}) => (change ? [change] : []))
  const known = await withExtents(look, changes)
  return steps.map(({change}) => change && changeText(known[changes.indexOf(change)]!, 'would'))
}

/** The change with the size of the content that goes up. */
function withContent(change: Change, [, {upload}]: PlannedRequest): Change {
  if (upload?.size === undefined) return change
  return {...change, extent: {files: 1, folders: 0, bytes: upload.size}}
}

/** A request as people read it. */
export function requestText({method, url, headers, body}: PreparedRequest): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\n`)
  return `${method} ${url}\n${lines.join('')}${body ? `\n${safeJson(body, 2)}\n` : ''}`
}
