import {type Change, withRecord} from '#lib/cli/changes/change.js'
import {changesText, changeText} from '#lib/cli/changes/words.js'
import type {Row} from '#lib/cli/output/format.js'
import {toned} from '#lib/cli/terminal/color.js'
import {printable} from '#lib/platform/sanitize.js'
import {groupBy} from '#lib/platform/values.js'
import type {Results} from './report.js'

/** The line that tells a person what was done to one thing, with its ID: harmless, since it may have a tone. */
export function resultLine(change: Change, answer: Row | undefined, color: boolean): string {
  const told = withRecord(change, answer)
  const text = changeText(told, 'past')
  // What is moved keeps its ID, and the answer may be the one of the folder.
  const moved = change.action === 'move' ? change.fileId : undefined
  const id = change.who === undefined && change.of === undefined ? (moved ?? answer?.id) : undefined
  if (typeof id !== 'string' || id === told.thing) return `${text}\n`
  const shown = printable(id, 1000)
  return `${text}  ${color ? toned(shown, 'dim') : shown}\n`
}

/** Tells a person at the end what was done to many things: a line for each kind of change. */
export function createChangeResults(
  show: (text: string) => Promise<void>,
  color: boolean,
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
      const groups = groupBy(all.splice(0), ([{action}]) => action)
      for (const group of groups.values()) {
        const [first, second] = group
        if (first && !second) await show(resultLine(...first, color))
        else
          await show(
            `${changesText(
              group.map(([change]) => change),
              'past',
            )}\n`,
          )
      }
    },
  }
}
