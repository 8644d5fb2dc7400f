import {DOCTOR, explain} from '#lib/cli/explain/explain.js'
import {type Circumstances} from '#lib/cli/explain/service-answer.js'
import {toned} from '#lib/cli/terminal/color.js'
import type {ExitName} from '#lib/cli/terminal/exit-codes.js'
import {hanging, textOfLines} from '#lib/cli/terminal/layout.js'
import {wrap} from '#lib/cli/terminal/width.js'
import {printable} from '#lib/platform/sanitize.js'

/** What `drv auth doctor` looks at lives here, and changes nothing. A sign-in that works is shown by `auth status`. */

export type State = 'ok' | 'warning' | 'failed' | 'skipped'

/** What came of looking at one thing. */
export interface Check {
  /** What was looked at. */
  readonly name: string
  readonly state: State
  /** What is there, in a sentence or a few words. */
  readonly found: string
  /** What to do now. */
  readonly advice?: string
  /** What the command ends with where this is the first fault. */
  readonly exit?: ExitName
}

export function ok(name: string, found: string): Check {
  return {name, state: 'ok', found}
}

export function warning(name: string, found: string, advice: string): Check {
  return {name, state: 'warning', found, advice}
}

/** Not looked at, and why. */
export function skipped(name: string, found: string): Check {
  return {name, state: 'skipped', found}
}

/** A fault in the words that every command has for it, or with this `advice`. */
export function failed(
  name: string,
  error: unknown,
  advice?: string,
  {environmentToken = false, tokenCommand, embedded}: Partial<Circumstances> = {},
): Check {
  const circumstances = {command: DOCTOR, flags: [], environmentToken, tokenCommand, embedded}
  const {message, hint, code} = explain(error, circumstances)
  return {name, state: 'failed', found: message, advice: (advice ?? hint) || undefined, exit: code}
}

/** The first fault; warnings are none. */
export function firstFault(checks: readonly Check[]): Check | undefined {
  return checks.find(({state}) => state === 'failed')
}

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
