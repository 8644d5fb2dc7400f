import {DOCTOR, explain} from '#lib/cli/explain/explain.js'
import {type RequestFacts} from '#lib/cli/explain/service-answer.js'
import {colorize} from '#lib/cli/terminal/color.js'
import type {ExitName} from '#lib/cli/terminal/exit-codes.js'
import {hanging, textOfLines} from '#lib/cli/terminal/layout.js'
import {wrap} from '#lib/cli/terminal/width.js'
import {printable} from '#lib/platform/sanitize.js'

/** The checks of `drv auth doctor`, which change nothing. `auth status` shows working sign-ins. */

export type State = 'ok' | 'warning' | 'failed' | 'skipped'

/** The result of one check. */
export interface Check {
  /** The subject of the check. */
  readonly name: string
  readonly state: State
  /** The finding, in a sentence or a few words. */
  readonly found: string
  /** What to do about it. */
  readonly advice?: string
  /** The exit code of the command if this is the first failed check. */
  readonly exit?: ExitName
}

export function ok(name: string, found: string): Check {
  return {name, state: 'ok', found}
}

export function warning(name: string, found: string, advice: string): Check {
  return {name, state: 'warning', found, advice}
}

/** A skipped check; `found` is the reason. */
export function skipped(name: string, found: string): Check {
  return {name, state: 'skipped', found}
}

/** A failed check with the usual message and hint for the error; `advice` replaces the hint. */
export function failed(
  name: string,
  error: unknown,
  advice?: string,
  {environmentToken = false, tokenCommand, embedded}: Partial<RequestFacts> = {},
): Check {
  const circumstances = {command: DOCTOR, flags: [], environmentToken, tokenCommand, embedded}
  const {message, hint, code} = explain(error, circumstances)
  return {name, state: 'failed', found: message, advice: (advice ?? hint) || undefined, exit: code}
}

/** The first failed check; warnings do not count. */
export function firstFault(checks: readonly Check[]): Check | undefined {
  return checks.find(({state}) => state === 'failed')
}

const MARKS: Readonly<Record<State, string>> = {ok: '✓', warning: '!', failed: '✗', skipped: '-'}

/** Width of the longest name, in columns. */
const NAMES = 'authorization service'.length
/** Width of mark, name and blanks before the finding, in columns. */
const INDENT = NAMES + 4

/** A check as lines for a terminal: the finding, with the advice below. Pure. */
export function checkLines(
  {name, state, found, advice}: Check,
  {width, color}: {readonly width: number; readonly color: boolean},
): string {
  const room = Math.max(20, width - INDENT)
  const lines = [found, advice ?? ''].flatMap(text => wrap(printable(text, 1000), room))
  const [first = '', ...rest] = hanging(`${MARKS[state]} ${name}`, lines, INDENT)
  return textOfLines([state === 'skipped' && color ? colorize(first, 'dim') : first, ...rest])
}
