import type {RememberedTree} from './remembered-tree.js'
import type {TreeDraft} from './tree-state.js'

/** Changes of a remembered tree, which are written together and in order. */
export interface TreeNotes {
  /** Whether the tree can be remembered. Nothing is written any more once it cannot. */
  isUsable: boolean
  /** Writes a change soon. */
  add(change: (draft: TreeDraft) => void): void
  /** Writes all changes, at last the given ones; never throws. */
  write(changes?: ReadonlyArray<(draft: TreeDraft) => void>): Promise<void>
}

/** Number of changes after which they are written, and milliseconds. */
const MOST = 1000
const LONGEST = 250

export function createTreeNotes(tree: RememberedTree): TreeNotes {
  let waiting: Array<(draft: TreeDraft) => void> = []
  let writing: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined

  const notes: TreeNotes = {
    isUsable: true,
    add(change) {
      waiting.push(change)
      if (waiting.length >= MOST) void notes.write()
      else timer ??= setTimeout(() => void notes.write(), LONGEST).unref()
    },
    write(changes = []) {
      clearTimeout(timer)
      timer = undefined
      const all = [...waiting, ...changes]
      waiting = []
      writing = writing.then(async () => {
        if (!notes.isUsable || all.length === 0) return
        try {
          await tree.update(draft => {
            for (const change of all) change(draft)
          })
        } catch {
          // Without it, the next pull lists everything.
          notes.isUsable = false
        }
      })
      return writing
    },
  }
  return notes
}
