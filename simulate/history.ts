import type {Difference, Remote} from './remote.js'

/** A line of `drv history --steps --format ndjson`. */
export interface HistoryStep {
  readonly id: string
  readonly operation: string
  readonly item: string
  readonly fileId: string
  readonly state: string
}

/**
 * What is wrong with the history of a machine after its last command: changes that it does not know,
 * and changes that it claims as done and that did not happen. `steps` are those of the last command.
 */
export function judgeHistory(
  steps: readonly HistoryStep[],
  changes: readonly Difference[],
  after: Remote,
  before: Remote,
): string[] {
  const known = new Set(steps.map(({fileId}) => fileId))
  // The history names the source of a copy.
  const hasCopies = steps.some(({operation}) => operation === 'files.copy')
  const isKnown = ({id, text}: Difference): boolean => {
    if (known.has(id) || (hasCopies && text.startsWith('create '))) return true
    // Access to a folder shows at everything in it, and what is in it goes with it.
    if (!/^(grant|revoke|remove|create) /.test(text)) return false
    for (let at = after.items.get(id) ?? before.items.get(id); at;) {
      if (known.has(at.id)) return true
      at = after.items.get(at.parent) ?? before.items.get(at.parent)
    }
    return false
  }
  const changed = new Set(changes.map(({id}) => id))
  return [
    ...changes
      .filter(change => !isKnown(change))
      .map(({text}) => `The history does not have this change: ${text}`),
    ...steps
      .filter(({state, fileId}) => state === 'done' && fileId && !changed.has(fileId))
      // A repeated command records again what its first run, which was killed, has created.
      .filter(({operation, fileId}) => operation !== 'files.insert' || !after.items.has(fileId))
      .filter(({operation}) => operation !== 'files.copy')
      .map(({operation, item}) => `The history claims what did not happen: ${operation} ${item}`),
  ]
}
