import type {Action} from '../action.js'
import type {HistoryStep} from '../history.js'
import type {Difference, Remote} from '../remote.js'

/** What may be observed after commands, beyond the rules that hold for real processes too. Pure. */

/** The promises of an action without items that are in the trash because a folder above them is. */
export function withoutImplied(promised: readonly string[], after: Remote): string[] {
  return promised.filter(
    text => !text.startsWith('trash ') || !isTrashedWithFolder(after, text.slice(6)),
  )
}

/** The recorded steps without those that moved an item to the trash with a folder above it. */
export function withoutImpliedSteps(steps: readonly HistoryStep[], after: Remote): HistoryStep[] {
  return steps.filter(
    ({operation, fileId}) => operation !== 'files.trash' || !isTrashedWithFolder(after, fileId),
  )
}

function isTrashedWithFolder(remote: Remote, id: string): boolean {
  return remote.items.get(id)?.isTrashed === false && remote.isInTrash(id)
}

/** Changes that the history calls failed, although they happened. */
export function deniedChanges(
  steps: readonly HistoryStep[],
  changes: readonly Difference[],
): string[] {
  return changes.flatMap(({id, text}) => {
    const own = steps.filter(({fileId}) => fileId === id)
    const isDenied = own.length > 0 && own.every(({state}) => state === 'failed')
    return isDenied ? [`The history calls failed what happened: ${text}`] : []
  })
}

/** A command that changed the folder of all terminals, and whether it ended with 0. */
export interface SharedRun {
  readonly action: Action
  readonly isDone: boolean
}

/** What is wrong with the folder of all terminals after commands that ran at the same time. */
export function judgeShared(
  runs: readonly SharedRun[],
  changes: readonly Difference[],
  after: Remote,
): string[] {
  const promises = new Set(runs.flatMap(({action}) => action.remote))
  const unasked = changes.filter(({text}) => !promises.has(text))
  const broken = runs
    .filter(({isDone}) => isDone)
    .flatMap(({action: {remote}}) => remote)
    .filter(text => !holds(text, after) && ![...promises].some(other => isAgainst(other, text)))
  return [
    ...unasked.map(({text}) => `Nothing asked for this change: ${text}`),
    ...broken.map(text => `Exit code 0 without: ${text}`),
  ]
}

/** Whether two promises set the same thing of the same item differently. */
function isAgainst(one: string, other: string): boolean {
  const [word = '', id] = one.split(' ')
  const [otherWord = '', otherId] = other.split(' ')
  return one !== other && id === otherId && word.replace(/^un/, '') === otherWord.replace(/^un/, '')
}

function holds(text: string, remote: Remote): boolean {
  const [word, id = '', ...rest] = text.split(' ')
  const item = remote.items.get(id)
  if (!item) return false
  if (word === 'place') return remote.pathOf(id) === rest.join(' ')
  if (word === 'star' || word === 'unstar') return item.isStarred === (word === 'star')
  return item.isTrashed === (word === 'trash')
}

/** The items whose changes a follower must report. */
export function reportable(changes: readonly Difference[]): string[] {
  return changes
    .filter(({text}) => /^(create|content|place|trash|untrash|remove) /.test(text))
    .map(({id}) => id)
}
