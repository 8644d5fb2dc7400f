import {createsFile, isMutating} from '#lib/api/operations.js'
import {isObject, nonEmptyText} from '#lib/api/validate.js'
import {isPath} from '#lib/cli/changes/change.js'
import {commandText} from '#lib/cli/context/command-text.js'
import {destroys} from '#lib/cli/guard/destroys.js'
import {currentAccount} from '#lib/cli/plan-file/account.js'
import {
  formatLine,
  MOST_AFTER,
  PLAN_VERSION,
  type PlanHead,
  type PlanStep,
} from '#lib/cli/plan-file/format.js'
import {extentOfItem, foundState, itemKey, itemRequest} from '#lib/cli/plan-file/found-item.js'
import {saveInput} from '#lib/cli/plan-file/kept-content.js'
import {planPath} from '#lib/cli/plan-file/local-content.js'
import {createPlanFile, planStream} from '#lib/cli/plan-file/plan-output.js'
import {createPlanSummary} from '#lib/cli/plan-file/summary.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import {count, problemLine} from '#lib/cli/terminal/units.js'
import type {Engine} from './engine.js'
import {labelOf, type Step, stepsBefore} from './plan.js'
import {
  type Draft,
  draftsOf,
  rootOf,
  withContents,
  withFoundItems,
  withNewIds,
} from './plan-drafts.js'

/** Number of steps to complete together: the maximum number of IDs that one request reserves. */
const GROUP = 1000

interface Writing {
  /** A push or pull, in which each item has one step. */
  readonly isOfTree: boolean
  /** The local folder that contains all local paths (default: chosen by the first one). */
  readonly root?: string
}

/**
 * Writes a plan to the file of `--plan` instead of running it: complete requests, with the IDs of new files
 * reserved, the ETags of existing items, and the size and MD5 of local content. At most `GROUP` steps are in
 * memory at a time. Throws `CommandError('partial')` if some steps would fail; the plan has the others.
 */
export async function writePlan(
  {context, results, explain}: Engine,
  plan: readonly Step[] | AsyncIterable<Step>,
  {isOfTree, root: givenRoot}: Writing,
): Promise<void> {
  const {options, signal, io} = context
  const name = options.plan!
  const client = await context.client()
  const output = name === '-' ? planStream(io.stdout) : await createPlanFile(name)
  context.onEnd(output.discard)
  const summary = createPlanSummary()
  const keys = new WeakMap<Step, string>()
  const failures = new Map<Step, unknown>()
  /** The key of the last step that changes or creates an item. */
  const changedBy = new Map<string, string>()
  let root = givenRoot
  let isBegun = false
  /** The number of failures that are reported. */
  let told = 0

  async function begin(): Promise<void> {
    isBegun = true
    const head: PlanHead = {
      plan: PLAN_VERSION,
      id: context.newId(),
      time: new Date(context.now()).toISOString(),
      drv: context.userAgent.replace(/^drv\//, ''),
      command: commandText(context),
      service: (await context.settings()).binding,
      account: await currentAccount(client),
      root: root ?? null,
    }
    await output.write(formatLine(head))
  }

  async function writeGroup(steps: readonly Step[]): Promise<void> {
    const requested = await draftsOf(steps, () => saveInput(context))
    root ??= isBegun ? undefined : rootOf(requested)
    const read = await withContents(requested, root, signal)
    const found = await withFoundItems(client, read, item => changedBy.has(itemKey(item)))
    const drafts = await withNewIds(client, found)
    if (!isBegun && drafts.some(({error}) => error === undefined)) await begin()
    for (const draft of drafts) await writeDraft(draft)
  }

  async function writeDraft(draft: Draft): Promise<void> {
    const {step} = draft
    const failed = stepsBefore(step).find(before => failures.has(before))
    const error = draft.error ?? (failed && failures.get(failed))
    if (error !== undefined) {
      failures.set(step, error)
      // The only failure can be the error of the command.
      if (summary.steps > 0 || failures.size > 1) tellFailures()
    } else if ('isUnchanged' in step) {
      if (step.reason !== undefined) skip(step, step.reason)
    } else {
      const line = lineOf(draft)
      if (!line) return
      keys.set(step, line.key)
      summary.add(line)
      await output.write(formatLine(line))
    }
  }

  function tellFailures(): void {
    for (const [step, error] of [...failures].slice(told)) {
      io.say(`Would fail: ${problemLine(labelOf(step), explain(error).message)}`)
    }
    told = failures.size
  }

  function skip(step: Step, reason: string): void {
    context.note(`Skipped: ${problemLine(labelOf(step), reason)}`)
  }

  /** The line of a step; `undefined` if it changes nothing. */
  function lineOf(draft: Draft): PlanStep | undefined {
    const {step} = draft
    const {action, afterAll} = step
    const key = String(summary.steps + 1)
    const before = stepsBefore(step).flatMap(one => keys.get(one) ?? [])
    const common = {key, label: itemOf(step), ...(afterAll !== undefined && {afterAll})}
    if ('here' in step) {
      if (!step.planned) return undefined
      const {here, output} = step.planned
      const after = before.length === 0 ? {} : {after: before}
      const effect = 'changes'
      return {...common, action: action ?? here, effect, here, ...after, output: placed(output)}
    }
    const {request, local, found = {}} = draft
    if (!request) return undefined
    const [id, {params, body, ifMatch, history}, files] = request
    const past = history?.before ?? draft.before
    if (!files?.output && !isMutating(client.operation(id))) return undefined
    const {fields: _, ...sent} = params
    const owner = isOfTree ? undefined : changed(request, key)
    const after = [...new Set([...before, owner].filter(one => one !== undefined))]
    const state = ifMatch === undefined ? foundState(found) : {etag: ifMatch}
    return {
      ...common,
      action: action ?? step.change?.().action ?? id,
      effect: EFFECTS[`${destroys(id, {params, body})}`],
      operation: id,
      params: sent,
      ...(body && {body}),
      // The state after an earlier step of the plan is not known yet.
      ...(owner === undefined && state),
      ...pathOf(step),
      ...(REMOVALS.has(id) && found.mimeType !== undefined && {impact: extentOfItem(found)}),
      ...(after.length > 0 && {after: after.slice(-MOST_AFTER)}),
      ...(local && {local}),
      ...(files?.output && {output: placed(files.output)}),
      ...(step.isAside && {aside: true}),
      ...(history?.undoes !== undefined && {undoes: history.undoes}),
      ...(past && {before: past}),
    }
  }

  function placed<T extends {readonly path: string}>(target: T): T {
    return {...target, path: planPath(root!, target.path)}
  }

  /** Records the item that a step changes, or creates; returns the key of the earlier step that does. */
  function changed(
    [id, {params, body}]: NonNullable<Draft['request']>,
    key: string,
  ): string | undefined {
    const item = itemRequest(id, params)
    const isCopied = id === 'files.copy'
    const owner = item && changedBy.get(itemKey(item))
    if (item && !isCopied) changedBy.set(itemKey(item), key)
    const newId = createsFile(id) ? nonEmptyText(body?.id) : undefined
    const made = newId === undefined ? undefined : itemRequest('files.get', {fileId: newId})
    if (made) changedBy.set(itemKey(made), key)
    return owner
  }

  const last: Step[] = []
  for await (const group of groupsOf(plan, last)) await writeGroup(group)
  if (failures.size > 0) for (const step of last) skip(step, step.afterAll!)
  else for await (const group of groupsOf(last)) await writeGroup(group)
  if (summary.steps === 0 && failures.size > 0) {
    const [first] = failures.values()
    if (failures.size === 1) throw first as Error
    throw new CommandError('partial', `${count(failures.size, 'item')} would fail.`)
  }
  tellFailures()
  if (!isBegun) await begin()
  await output.write(formatLine({end: {steps: summary.steps}}))
  await output.finish()
  context.note(summaryText(summary.text(), name, summary.steps))
  if (results.output.isStructured && name !== '-') {
    const record = {plan: name, ...summary.record()}
    await results.show(await results.output.record(record, {width: io.width}))
  }
  if (failures.size === 0) return
  throw new CommandError(
    'partial',
    `${count(failures.size, 'item')} would fail. The plan contains only the other steps.`,
  )
}

const EFFECTS = {true: 'destroys', false: 'changes', undefined: 'may destroy'} as const

/** Operations that remove a whole file or folder. */
const REMOVALS: ReadonlySet<string> = new Set(['files.trash', 'files.delete'])

/** The name of a step's item: for a row of a table, what the row names rather than its line. */
function itemOf(step: Step): string {
  const label = labelOf(step)
  const {thing, of} = isObject(step.original) ? (step.change?.() ?? {}) : {}
  if (thing === undefined || label.includes(thing)) return label
  return of === undefined ? thing : `${of} ${thing}`
}

/** The path of the item of a step, if it was named by one. */
function pathOf({original, change}: Step): Pick<PlanStep, 'path'> {
  const row = () => change?.().of ?? change?.().thing
  const named = isObject(original) ? (original.file ?? row()) : original
  return typeof named === 'string' && isPath(named) ? {path: named} : {}
}

function summaryText(text: string, name: string, steps: number): string {
  const sentence = `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
  if (name === '-' || steps === 0) return sentence
  return `${sentence} To make the changes, run \`drv apply ${name}\`.`
}

/** The steps in groups; with `last`, steps that run after all others are moved there. */
async function* groupsOf(
  plan: readonly Step[] | AsyncIterable<Step>,
  last?: Step[],
): AsyncGenerator<Step[]> {
  let group: Step[] = []
  for await (const step of plan) {
    if (last && step.afterAll !== undefined) last.push(step)
    else group.push(step)
    if (group.length < GROUP) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}
