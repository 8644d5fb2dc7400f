import {type Change, isPath, withRecord} from '#lib/cli/changes/change.js'
import {type ChangeSum, changeText, createChangeSum} from '#lib/cli/changes/words.js'
import type {Context} from '#lib/cli/context/context.js'
import type {Row} from '#lib/cli/output/format.js'
import {colorize} from '#lib/cli/terminal/color.js'
import {shellWord} from '#lib/cli/terminal/read-argv.js'
import {printable} from '#lib/platform/sanitize.js'
import type {Results} from './report.js'

/** The result of one change as a line with its ID; without control characters except for color. */
export function resultLine(change: Change, answer: Row | undefined, color: boolean): string {
  const done = withRecord(change, answer)
  const text = [
    changeText(done, 'past'),
    ...(done.link === undefined ? [] : [linkLine(done)]),
  ].join('\n')
  // A moved item keeps its ID; the response can be that of the folder.
  const moved = change.action === 'move' ? change.fileId : undefined
  const id = change.who === undefined && change.of === undefined ? (moved ?? answer?.id) : undefined
  if (typeof id !== 'string' || id === done.thing) return `${text}\n`
  const shown = printable(id, 1000)
  return `${text}  ${color ? colorize(shown, 'dim') : shown}\n`
}

/** The command that restores trashed items by their former paths; `undefined` for other changes. Pure. */
export function restoreHint(changes: readonly Change[]): string | undefined {
  const trashed = changes.filter(({action}) => action === 'trash')
  const [first, second] = trashed
  if (!first) return undefined
  const words = trashed.slice(0, LISTED).map(({thing, fileId = thing}) => {
    const isNamed = isPath(thing) && !thing.startsWith('trash:')
    return shellWord(isNamed ? thing.replace(/(?<=.)\/+$/, '') : fileId)
  })
  const all = trashed.length > LISTED ? [words[0]!] : words
  const which = second && all.length === 1 ? 'one of them' : second ? 'them' : 'it'
  return `To restore ${which}, run \`drv restore ${all.join(' ')}\`.`
}

/** The maximum number of items in the hint. */
const LISTED = 3

/** The link of a shared item; among several items, after its name. */
function linkLine({thing, link}: Change, isOneOfMany = false): string {
  return printable(isOneOfMany ? `${thing}  ${link}` : String(link), 1000)
}

/** The changes with the same action. Only the printed parts are kept, because there may be millions. */
interface ChangeGroup {
  readonly first: Change
  readonly answer: Row | undefined
  readonly sum: ChangeSum
  readonly links: string[]
}

/** Prints the results of many changes at the end: one line for each kind of change. */
export function createChangeResults(
  show: (text: string) => Promise<void>,
  {io, note}: Pick<Context, 'io' | 'note'>,
): Results {
  const groups = new Map<string, ChangeGroup>()
  /** As many as the hint needs. */
  const trashed: Change[] = []

  function groupOf(first: Change, {id}: Row = {}): ChangeGroup {
    const known = groups.get(first.action)
    if (known) return known
    const group = {first, answer: {id}, sum: createChangeSum(), links: []}
    groups.set(first.action, group)
    return group
  }

  return {
    async add({change}, result) {
      if (!('answer' in result) || !change) return
      const one = withRecord(change(), result.answer)
      const group = groupOf(one, result.answer)
      group.sum.add(one)
      if (one.link !== undefined) group.links.push(linkLine(one, true))
      if (one.action === 'trash' && trashed.length <= LISTED) trashed.push(one)
    },
    async flush() {},
    async end() {
      for (const {first, answer, sum, links} of groups.values()) {
        if (sum.count === 1) await show(resultLine(first, answer, io.color))
        else for (const line of [sum.text('past'), ...links]) await show(`${line}\n`)
      }
      groups.clear()
      const hint = restoreHint(trashed.splice(0))
      if (hint !== undefined) note(hint)
    },
  }
}
