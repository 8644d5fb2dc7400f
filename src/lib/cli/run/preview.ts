import type {Change} from '#lib/cli/changes/change.js'
import {withExtents} from '#lib/cli/changes/planned-extent.js'
import {changeText} from '#lib/cli/changes/words.js'
import {type Failure, failureRecord} from '#lib/cli/explain/explain.js'
import {curlText, type PlannedRequest} from '#lib/cli/guard/curl.js'
import {notedPlan} from '#lib/cli/guard/policy-check.js'
import {createInspector, type Inspector} from '#lib/cli/guard/targets.js'
import type {Row} from '#lib/cli/output/format.js'
import {problemLine} from '#lib/cli/terminal/units.js'
import type {PreparedRequest} from '#lib/client/client.js'
import {safeJson} from '#lib/platform/sanitize.js'
import type {Engine} from './engine.js'
import {changeOfStep, labelOf, previewOf, type Step} from './plan.js'
import {whileIdle} from './report.js'

/** The maximum number of steps printed at once. */
const PIECE = 1000

/**
 * The columns of a dry run: the action, its input, the bytes to transfer, and the reason for a failure or
 * a skipped step. JSON also has the request and the error.
 */
export const PREVIEW_COLUMNS: readonly string[] = ['action', 'input', 'bytes', 'reason']

/** A step as a row of a dry run. */
function previewRow(step: Step, request: PreparedRequest | undefined, failure?: Failure): Row {
  const {original: input, action, bytes, change} = step
  const done = action ?? ('call' in step ? step.call.id : change?.().action)
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
  /** Prints rows instead of sentences for people. */
  readonly isOfRows?: boolean
  /** The local folder for the paths of `--plan` (default: chosen by the first path). */
  readonly root?: string
}

/** A planned step: its change and its request. */
interface PreviewedStep {
  readonly change?: Change
  readonly planned: PlannedRequest
  readonly isAside: boolean
}

/**
 * Prints a plan without running it: sentences with sizes for people (with `--verbose` also the requests),
 * one row per step for programs, or curl lines with `isCurl`. With `--plan`, writes it to the plan file
 * instead. Returns the number of steps that would fail.
 */
export async function printPreview(
  engine: Engine,
  given: readonly Step[] | AsyncIterable<Step>,
  {isCurl = false, isOfRows = false, root}: PreviewOptions,
): Promise<number> {
  const {context, results, explain, isReading} = engine
  const plan = isReading ? stepsOf(given) : notedPlan(context, given, changeOfStep)
  if (context.options.plan !== undefined) {
    const {writePlan} = await import('./write-plan.js')
    await writePlan(engine, plan, {isOfTree: isOfRows, root})
    return 0
  }
  const client = await context.client()
  const {rows, end, pieceSize = PIECE} = results.text()
  const {isStructured} = results.output
  const areTexts = !isStructured && !isOfRows
  const areRows = !areTexts && !isCurl
  let gathered: Row[] = []
  let shown: PreviewedStep[] = []
  const inspector = createInspector(client)
  let failing = 0

  async function flush(): Promise<void> {
    const [steps, records] = [shown, gathered]
    shown = []
    gathered = []
    if (areRows) {
      if (records.length === 0) return
      await results.show(await rows(isOfRows ? await results.prepared(records) : records))
    } else if (isCurl && steps.length > 0) {
      const requests = steps.map(({planned}) => planned)
      await results.show(await curlText(context, requests))
    } else if (!isCurl) await results.show(await textOf(steps))
  }

  async function textOf(steps: readonly PreviewedStep[]): Promise<string> {
    const {verbose} = context.options
    const sentences = await sentencesOf(inspector, steps)
    const texts = steps.map(({planned, isAside}, index) => {
      const sentence = sentences[index]
      const isRequest = verbose || (sentence === undefined && !isAside)
      const request = isRequest ? requestText(client.prepare(planned[0], planned[1])) : ''
      return `${sentence === undefined ? '' : `${sentence}\n`}${request}`
    })
    return texts.join('')
  }

  for await (const step of whileIdle(plan, isOfRows ? async () => {} : flush)) {
    if ('error' in step) {
      const failure = explain(step.error)
      failing += 1
      gathered.push(previewRow(step, undefined, failure))
      if (areTexts) context.io.say(`Would fail: ${problemLine(labelOf(step), failure.message)}`)
    } else if (!('isUnchanged' in step) || step.reason !== undefined) {
      const planned = await previewOf(step)
      const request = planned && client.prepare(planned[0], planned[1])
      gathered.push(previewRow(step, request))
      const change = planned && step.change && withContent(step.change(), planned)
      if (planned) shown.push({change, planned, isAside: step.isAside ?? false})
    }
    if (!Array.isArray(given) && gathered.length >= pieceSize) await flush()
  }
  await flush()
  if (areRows && end) await results.show(await end({}))
  return failing
}

async function* stepsOf(plan: readonly Step[] | AsyncIterable<Step>): AsyncGenerator<Step> {
  yield* plan
}

/** The planned change of each step, in order. */
async function sentencesOf(
  inspector: Inspector,
  steps: readonly PreviewedStep[],
): Promise<Array<string | undefined>> {
  const changes = steps.flatMap(({change}) => (change ? [change] : []))
  const known = await withExtents(inspector, changes)
  return steps.map(({change}) => change && changeText(known[changes.indexOf(change)]!, 'would'))
}

/** Adds the size of the uploaded content to a change. */
function withContent(change: Change, [, {upload}]: PlannedRequest): Change {
  if (upload?.size === undefined) return change
  return {...change, extent: {files: 1, folders: 0, bytes: upload.size}}
}

/** A request as text. */
export function requestText({method, url, headers, body}: PreparedRequest): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\n`)
  return `${method} ${url}\n${lines.join('')}${body ? `\n${safeJson(body, 2)}\n` : ''}`
}
