import {
  type AnyItem,
  GROUP,
  type InvalidItem,
  type Item,
  type ItemSource,
  withPosition,
} from '#lib/cli/input/items/item-source.js'
import {
  announceNames,
  resolveDriveNames,
  resolveNames,
  type UnresolvedRequest,
  withDriveIds,
} from '#lib/cli/input/names/request-names.js'
import type {Resolver} from '#lib/cli/input/names/resolver.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import type {CallInput, Client, Outcome} from '#lib/client/client.js'
import {ServiceError} from '#lib/client/errors.js'
import {inGroups} from '#lib/platform/values.js'
import {isIdRefused} from '#lib/transfer/ids.js'
import {endsAll} from '#lib/transfer/many/verdict.js'
import {type Checkpoint, withIds} from './checkpoint.js'
import {sendRoute, type Step} from './plan.js'
import type {ItemRunner} from './verb-description.js'

/** A checked item whose names are not resolved yet. */
type CheckedItem = (Item & {readonly checked: UnresolvedRequest}) | InvalidItem

/** An item that is ready to be sent. */
type ReadyItem =
  (Item & {readonly checked: UnresolvedRequest; readonly input: CallInput}) | InvalidItem

/** Checked items as they arrive, or all of them if known before the first request. */
export type CheckedGroups =
  AsyncIterable<readonly CheckedItem[]> | readonly (readonly CheckedItem[])[]

/**
 * Checks all items before the first request if they are known by then, and throws `UsageError` for the
 * first mistake. Otherwise checks them as they arrive, and includes the errors.
 */
export async function checkedGroups(
  runner: Pick<ItemRunner, 'check'>,
  source: ItemSource,
): Promise<CheckedGroups> {
  const checked = async (item: AnyItem): Promise<CheckedItem> => {
    if ('error' in item) return item
    try {
      return {...item, checked: await runner.check(item.given)}
    } catch (error) {
      return {original: item.original, place: item.place, error}
    }
  }
  async function* groups() {
    for await (const group of source.groups()) yield await Promise.all(group.map(checked))
  }
  if (source.count === undefined) return groups()
  const all: CheckedItem[][] = []
  for await (const group of groups()) {
    const broken = group.find(item => 'error' in item)
    if (broken) throw withPosition(broken.error, broken.place)
    all.push(group)
  }
  return all
}

/**
 * Asks once for confirmation of all items if any of them destroys something. `stepsOfItems` refuses such
 * items if they arrive later.
 */
export async function confirmAll(
  runner: ItemRunner,
  groups: readonly (readonly CheckedItem[])[],
  resolver: Resolver,
): Promise<void> {
  const items = groups.flat()
  const inputs = inputsOf(items)
  runner.refuseUnconfirmed(inputs)
  if (!inputs.some(runner.mayDestroy)) return
  const ready: ReadyItem[] = []
  for (const some of inGroups(items, GROUP))
    ready.push(...(await readyItems(runner, some, resolver)))
  await runner.ask(ready.flatMap(item => ('error' in item ? [] : [item.input])))
}

/** The steps of a dry run for the items; with `--plan`, their requests are complete. */
export async function* previewCalls(
  runner: ItemRunner,
  groups: CheckedGroups,
  resolver: Resolver,
): AsyncGenerator<Step> {
  const isPlan = runner.context.options.plan !== undefined
  const completed = async (item: ReadyItem): Promise<ReadyItem> => {
    if (!isPlan || 'error' in item) return item
    const {input, checked} = item
    return {...item, input: await withDriveIds(input, checked.words, resolver)}
  }
  for await (const group of groups) {
    for (const item of await readyItems(runner, group, resolver)) {
      yield stepOf(runner, await completed(item), resolver)
    }
  }
}

/**
 * The steps for the items, with reserved IDs for new files, so that no step runs twice, even in a second
 * run with the same checkpoint.
 */
export async function* stepsOfItems(
  runner: ItemRunner,
  groups: CheckedGroups,
  {
    client,
    resolver,
    checkpoint,
  }: {
    readonly client: Client
    readonly resolver: Resolver
    readonly checkpoint?: Checkpoint
  },
): AsyncGenerator<Step> {
  for await (const group of groups) {
    if (!Array.isArray(groups)) refuseLateConfirmation(runner, inputsOf(group))
    const keys = group.map(item => ('error' in item ? undefined : checkpoint?.nameOf(item.given)))
    const isOpen = (_: unknown, index: number) => {
      const key = keys[index]
      return key === undefined || !checkpoint!.isDone(key)
    }
    const openKeys = keys.filter(isOpen)
    const ready = await readyItems(runner, group.filter(isOpen), resolver)
    for (const {original} of group.filter((item, index) => !isOpen(item, index))) {
      yield {original, isDone: true, isUnchanged: true}
    }
    const steps = ready.map((item, index) => ({
      ...stepOf(runner, item, resolver),
      key: openKeys[index],
    }))
    yield* await withIds(client, steps, checkpoint)
  }
}

/** Throws `UsageError` if items that arrive during the run destroy something. */
function refuseLateConfirmation({mayDestroy}: ItemRunner, inputs: readonly CallInput[]): void {
  if (!inputs.some(mayDestroy)) return
  throw new UsageError(
    'The command needs confirmation, but drv cannot prompt: it reads standard input.',
    'Pass --yes (-y) to confirm, or --dry-run to preview the changes.',
  )
}

/** The requests of the items, with unresolved names. */
function inputsOf(items: readonly CheckedItem[]): CallInput[] {
  return items.flatMap(item => ('error' in item ? [] : [item.checked.input]))
}

/** The number of items whose names are resolved concurrently. */
const CONCURRENCY = 10

/**
 * Resolves the paths of all items of a group together. An item whose path cannot be resolved has an
 * `error`. Throws only errors that affect all items.
 */
async function readyItems(
  {operation}: Pick<ItemRunner, 'operation'>,
  group: readonly CheckedItem[],
  resolver: Resolver,
): Promise<ReadyItem[]> {
  const requests = group.flatMap(item => ('error' in item ? [] : [item.checked]))
  await announceNames(operation, requests, resolver)
  const paths = requests.flatMap(({words}) =>
    words.filter(({kind}) => kind === 'file').map(({text}) => text),
  )
  await resolver.prefetch(paths)
  const ready = async (item: CheckedItem): Promise<ReadyItem> => {
    if ('error' in item) return item
    try {
      return {...item, input: await resolveNames(item.checked, resolver)}
    } catch (error) {
      if (endsAll(error)) throw error
      return {original: item.original, place: item.place, error}
    }
  }
  const all: ReadyItem[] = []
  for (const some of inGroups(group, CONCURRENCY)) all.push(...(await Promise.all(some.map(ready))))
  return all
}

function stepOf(runner: ItemRunner, item: ReadyItem, resolver: Resolver): Step {
  const {original, place: label} = item
  if ('error' in item) return {original, label, error: item.error}
  const route = runner.route(item.input, item.given)
  const recover = (error: unknown) => afterRefusal(runner, resolver, item, error)
  const {change} = route
  if ('work' in route) {
    return {original, label, recover, change, preview: route.preview, work: route.work}
  }
  return {original, label, recover, change, preview: route.preview, call: route.call}
}

/**
 * Retries a refused item: without a reserved ID that its kind cannot have, or with an unknown drive ID
 * read as the name of a shared drive.
 */
async function afterRefusal(
  {context, route}: ItemRunner,
  resolver: Resolver,
  {given, checked, input}: Exclude<ReadyItem, InvalidItem>,
  error: unknown,
): Promise<Outcome> {
  const again = async (input: CallInput): Promise<Outcome> => {
    try {
      return {record: await sendRoute(route(input, given), await context.client())}
    } catch (error) {
      return {error}
    }
  }
  if (input.body?.id === undefined && isIdRefused(error)) return again(input)
  if (!(error instanceof ServiceError) || error.status !== 404) return {error}
  const renamed = await resolveDriveNames(input, checked.words, resolver)
  return renamed ? again(renamed) : {error}
}
