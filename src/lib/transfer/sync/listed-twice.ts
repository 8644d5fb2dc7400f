import type {RemoteEntry} from '#lib/transfer/tree/entries.js'
import type {PullPlan} from '#lib/transfer/tree/pull-plan.js'
import type {TreeReader} from './tree-state.js'

/** Recognizes new items that move from one folder to another while both are listed. */
export interface ListedTwice {
  /** Notes the items of a folder, before they are recorded in the tree. */
  note(tree: TreeReader, folderId: string, entries: readonly RemoteEntry[]): void
  /** The plan of a folder without items that the plan of another one has. */
  without(plan: PullPlan): PullPlan
}

export function createListedTwice(): ListedTwice {
  /** The folders that items were in before, by ID. */
  const former = new Map<string, string>()
  const planned = new Set<string>()
  /** The moved items that the plan of a folder has. */
  const taken = new Set<string>()

  return {
    note(tree, folderId, entries) {
      for (const {id} of entries) {
        const node = tree.node(id)
        if (node && !node.local && node.parent !== folderId) former.set(id, node.parent)
      }
    },
    without(plan) {
      const folderId = plan.pair.remote?.id
      if (folderId === undefined) return plan
      planned.add(folderId)
      const twice = new Set<string>()
      const entries = [
        ...plan.steps.flatMap(step => (step.action === 'download' ? [step] : [])),
        ...plan.below,
      ]
      for (const {path, remote} of entries) {
        const {id} = remote!.shortcut ?? remote!
        const before = former.get(id)
        if (before === undefined) continue
        const isTaken = before === folderId ? taken.has(id) : planned.has(before)
        if (isTaken) twice.add(path)
        else taken.add(id)
      }
      if (twice.size === 0) return plan
      const isOnce = ({path}: {readonly path: string}) => !twice.has(path)
      return {...plan, steps: plan.steps.filter(isOnce), below: plan.below.filter(isOnce)}
    },
  }
}
