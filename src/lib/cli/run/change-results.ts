import {type Change, isPath, withRecord} from '#lib/cli/changes/change.js'
import {changesText, changeText} from '#lib/cli/changes/words.js'
import type {Context} from '#lib/cli/context/context.js'
import type {Row} from '#lib/cli/output/format.js'
import {toned} from '#lib/cli/terminal/color.js'
import {shellWord} from '#lib/cli/terminal/read-argv.js'
import {printable} from '#lib/platform/sanitize.js'
import {groupBy} from '#lib/platform/values.js'
import type {Results} from './report.js'

/** The line that tells a person what was done to one thing, with its ID: harmless, since it may have a tone. */
export function resultLine(change: Change, answer: Row | undefined, color: boolean): string {
  const told = withRecord(change, answer)
  const text = [changeText(told, 'past'), ...linkLines([told])].join('\n')
  // What is moved keeps its ID, and the answer may be the one of the folder.
  const moved = change.action === 'move' ? change.fileId : undefined
  const id = change.who === undefined && change.of === undefined ? (moved ?? answer?.id) : undefined
  if (typeof id !== 'string' || id === told.thing) return `${text}\n`
  const shown = printable(id, 1000)
  return `${text}  ${color ? toned(shown, 'dim') : shown}\n`
}

/** How to take back what is in the trash now, by the paths that it had; nothing for other changes. Pure. */
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
  return `To restore ${which}: drv restore ${all.join(' ')}`
}

/** So many things fit on a line. */
const LISTED = 3

/** The addresses of what was shared, each behind its name where there are several. */
function linkLines(changes: readonly Change[]): string[] {
  const linked = changes.filter(({link}) => link !== undefined)
  return linked.map(({thing, link}) =>
    printable(changes.length > 1 ? `${thing}  ${link}` : String(link), 1000),
  )
}

/** Tells a person at the end what was done to many things: a line for each kind of change. */
export function createChangeResults(
  show: (text: string) => Promise<void>,
  {io, note}: Pick<Context, 'io' | 'note'>,
): Results {
  const all: Array<readonly [Change, Row | undefined]> = []
  return {
    async add({change}, result) {
      if (!('answer' in result) || !change) return
      // Of many records nothing else is kept.
      all.push([withRecord(change(), result.answer), {id: result.answer?.id}])
    },
    async flush() {},
    async end() {
      const told = all.splice(0)
      const groups = groupBy(told, ([{action}]) => action)
      for (const group of groups.values()) {
        const [first, second] = group
        if (first && !second) await show(resultLine(...first, io.color))
        else
          await show(
            `${changesText(
              group.map(([change]) => change),
              'past',
            )}\n`,
          )
        if (second)
          for (const line of linkLines(group.map(([change]) => change))) await show(`${line}\n`)
      }
      const hint = restoreHint(told.map(([change]) => change))
      if (hint !== undefined) note(hint)
    },
  }
}
