import {toned} from '#lib/cli/terminal/color.js'
import {hanging, textOfLines} from '#lib/cli/terminal/layout.js'
import {wrap} from '#lib/cli/terminal/width.js'
import {printable} from '#lib/platform/sanitize.js'
import type {Check, State} from './check.js'

const MARKS: Readonly<Record<State, string>> = {ok: '✓', warning: '!', failed: '✗', skipped: '-'}

/** Columns of the longest name. */
const NAMES = 'authorization service'.length
/** Before what was found: the mark, the name, and blanks between. */
const INDENT = NAMES + 4

/** A check for a person at a terminal: what was found, and what to do below it. Pure. */
export function checkLines(
  {name, state, found, advice}: Check,
  {width, color}: {readonly width: number; readonly color: boolean},
): string {
  const room = Math.max(20, width - INDENT)
  const lines = [found, advice ?? ''].flatMap(words => wrap(printable(words, 1000), room))
  const [first = '', ...rest] = hanging(`${MARKS[state]} ${name}`, lines, INDENT)
  return textOfLines([state === 'skipped' && color ? toned(first, 'dim') : first, ...rest])
}
