import {toned} from '#lib/cli/terminal/color.js'
import {pad, wrap} from '#lib/cli/terminal/width.js'
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
  const lines = wrap(printable(found, 1000), room)
  const below = advice === undefined ? [] : wrap(printable(advice, 1000), room)
  const [first = '', ...rest] = lines
  const isDim = state === 'skipped' && color
  const head = `${MARKS[state]} ${pad(name, NAMES)}  ${first}`
  return [
    isDim ? toned(head, 'dim') : head,
    ...[...rest, ...below].map(line => ' '.repeat(INDENT) + line),
  ]
    .map(line => `${line.trimEnd()}\n`)
    .join('')
}
