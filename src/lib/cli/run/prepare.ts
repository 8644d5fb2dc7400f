import type {CallInput} from '#lib/client/client.js'
import {endsAll} from '#lib/transfer/tree/outcome.js'
import {inGroups} from '#lib/platform/groups.js'
import {type Checked, fillIn} from '#lib/cli/input/fill-names.js'
import type {Lookups} from '#lib/cli/input/lookups.js'
import type {Doer} from './item-runner.js'
import type {AnyItem, BrokenItem, Item} from '#lib/cli/input/item.js'
import {type ItemSource, placed} from '#lib/cli/input/item-source.js'

/** A thing that was checked, with the IDs of what it names still to be found. */
export type CheckedItem = (Item & {readonly checked: Checked}) | BrokenItem

/** A thing that is ready to be sent. */
export type ReadyItem = (Item & {readonly checked: Checked; readonly input: CallInput}) | BrokenItem

/**
 * Checks all things before the first request, where they are known by then, and throws `UsageError` for
 * the first mistake; else as they come, with the mistakes among them.
 */
export async function checkedGroups(
  doer: Pick<Doer, 'check'>,
  source: ItemSource,
): Promise<AsyncIterable<readonly CheckedItem[]> | readonly (readonly CheckedItem[])[]> {
  const checked = async (item: AnyItem): Promise<CheckedItem> => {
    if ('error' in item) return item
    try {
      return {...item, checked: await doer.check(item.given)}
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
    if (broken) throw placed(broken.error, broken.place)
    all.push(group)
  }
  return all
}

/** Things whose names are looked up at the same time, where each takes requests of its own. */
const AT_ONCE = 10

/**
 * The things of a group with the IDs of what they name: all paths are looked up together. What is not
 * found is among them with why; throws only what concerns all.
 */
export async function readyItems(
  group: readonly CheckedItem[],
  lookups: Lookups,
): Promise<ReadyItem[]> {
  const paths = group.flatMap(item =>
    'error' in item
      ? []
      : [...item.checked.names.values()].filter(({kind}) => kind === 'file').map(({text}) => text),
  )
  if (paths.length > 1) await lookups.prefetch(paths)
  const ready = async (item: CheckedItem): Promise<ReadyItem> => {
    if ('error' in item) return item
    const {input, names} = item.checked
    try {
      return {...item, input: await fillIn(input, names, lookups)}
    } catch (error) {
      if (endsAll(error)) throw error
      return {original: item.original, place: item.place, error}
    }
  }
  const all: ReadyItem[] = []
  for (const some of inGroups(group, AT_ONCE)) all.push(...(await Promise.all(some.map(ready))))
  return all
}
