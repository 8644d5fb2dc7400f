import {type Change, isPath, withRecord} from '#lib/cli/changes/change.js'
import {changesText, changeText} from '#lib/cli/changes/words.js'
import type {Context} from '#lib/cli/context/context.js'
import type {Row} from '#lib/cli/output/format.js'
import {colorize} from '#lib/cli/terminal/color.js'
import {shellWord} from '#lib/cli/terminal/read-argv.js'
import {printable} from '#lib/platform/sanitize.js'
import {groupBy} from '#lib/platform/values.js'
import type {Results} from './report.js'

/** The result of one change as a line with its ID; without control characters except for color. */
export function resultLine(change: Change, answer: Row | undefined, color: boolean): string {
  const done = withRecord(change, answer)
  const text = [changeText(done, 'past'), ...linkLines([done])].join('\n')
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

/** The links of shared items; with several items, each after its name. */
function linkLines(changes: readonly Change[]): string[] {
  const linked = changes.filter(({link}) => link !== undefined)
  return linked.map(({thing, link}) =>
    printable(changes.length > 1 ? `${thing}  ${link}` : String(link), 1000),
  )
}

/** Prints the results of many changes at the end: one line for each kind of change. */
export function createChangeResults(
  show: (text: string) => Promise<void>,
  {io, note}: Pick<Context, 'io' | 'note'>,
): Results {
  const all: Array<readonly [Change, Row | undefined]> = []
  return {
    async add({change}, result) {
      if (!('answer' in result) || !change) return
      // Keep only the ID of each record, to save memory.
      all.push([withRecord(change(), result.answer), {id: result.answer?.id}])
    },
    async flush() {},
    async end() {
      const done = all.splice(0)
      const groups = groupBy(done, ([{action}]) => action)
      for (const group of groups.values()) {
        const [first, second] = group
        if (first && !second) {
          await show(resultLine(...first, io.color))
          continue
        }
        const changes = group.map(([change]) => change)
        for (const line of [changesText(changes, 'past'), ...linkLines(changes)]) {
          await show(`${line}\n`)
        }
      }
      const hint = restoreHint(done.map(([change]) => change))
      if (hint !== undefined) note(hint)
    },
  }
}
