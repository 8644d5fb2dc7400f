import {setTimeout as wait} from 'node:timers/promises'
import {input, search, select} from '@inquirer/prompts'
import {Errors} from '@oclif/core'
import {harmlessLine, printable} from '#lib/platform/sanitize.js'
import {GAP} from './column-widths.js'
import {exitCodes} from './exit-codes.js'
import type {Io} from './io.js'
import {alignedLines, neededWidths} from './layout.js'
import {fit} from './width.js'

/** Prompts for missing inputs at a terminal. Confirmations: `confirm.ts` and `../guard`. */

export interface PromptTerminal {
  readonly io: Io
  readonly signal: AbortSignal
}

/** A selectable row. */
export interface Choice<T> {
  readonly name: string
  readonly value: T
}

/** A row that cannot be selected. */
export interface Remark {
  readonly type: 'separator'
  readonly separator: string
}

/** A row without control characters, since its names come from a service. */
function shownRow<R extends Choice<unknown> | Remark>(row: R): R {
  return 'separator' in row
    ? {...row, separator: harmlessLine(row.separator)}
    : {...row, name: harmlessLine(row.name)}
}

/** Milliseconds after the last key before the typed text is searched in the service. */
const PAUSE = 250

/** The maximum number of visible rows, and the lines that the prompt needs besides them. */
const MOST_ROWS = 15
const OTHER_LINES = 5

/** Prompts for a text until `check` returns no problem. */
export async function askText(
  terminal: PromptTerminal,
  message: string,
  check: (text: string) => string | undefined = text =>
    text === '' ? 'Enter a value.' : undefined,
): Promise<string> {
  const validate = (text: string) => {
    const problem = check(text.trim())
    return problem === undefined || harmlessLine(problem)
  }
  return (
    await atTerminal(terminal, streams =>
      input({message: harmlessLine(message), validate}, streams),
    )
  ).trim()
}

/** Prompts for one of a few choices. */
export async function askChoice<T>(
  terminal: PromptTerminal,
  message: string,
  choices: ReadonlyArray<Choice<T>>,
): Promise<T> {
  const pageSize = rowsOf(terminal)
  const config = {message: harmlessLine(message), choices: choices.map(shownRow), pageSize}
  return atTerminal(terminal, streams => select(config, streams))
}

export interface Searched<T> {
  readonly message: string
  /** The rows shown before anything is typed. */
  readonly first: ReadonlyArray<Choice<T> | Remark>
  /** The default, if not the first. */
  readonly usual?: T
  /** The rows for a typed text. */
  readonly find: (text: string) => Promise<ReadonlyArray<Choice<T> | Remark>>
  /** `find` sends requests, so it waits for a pause in typing. */
  readonly asksService: boolean
}

/** Prompts for one of many choices, filtered by the typed text. */
export async function askSearch<T>(
  terminal: PromptTerminal,
  {message, first, usual, find, asksService}: Searched<T>,
): Promise<T> {
  const source = async (text: string | undefined, {signal}: {readonly signal: AbortSignal}) => {
    if (text === undefined || text.trim() === '') return first.map(shownRow)
    if (asksService) await wait(PAUSE, undefined, {signal})
    return (await find(text.trim())).map(shownRow)
  }
  const pageSize = rowsOf(terminal)
  const shown = harmlessLine(message)
  const config = {message: shown, source, pageSize, ...(usual !== undefined && {default: usual})}
  return atTerminal(terminal, streams => search<T>(config, streams))
}

function rowsOf({io}: PromptTerminal): number {
  return Math.max(1, Math.min(MOST_ROWS, io.height - OTHER_LINES))
}

interface PromptStreams {
  readonly input: Io['stdin']
  readonly output: Io['stderr']
  readonly signal: AbortSignal
  readonly clearPromptOnDone: true
}

/** Prompts on standard error and erases the prompt afterwards; Esc and Ctrl-C end the command silently. */
async function atTerminal<T>(
  {io, signal}: PromptTerminal,
  prompt: (streams: PromptStreams) => Promise<T>,
): Promise<T> {
  const left = new AbortController()
  const onKey = (_text: unknown, key?: {readonly name?: string}) => {
    if (key?.name === 'escape') left.abort()
  }
  io.stdin.on('keypress', onKey)
  try {
    return await prompt({
      input: io.stdin,
      output: io.stderr,
      signal: AbortSignal.any([signal, left.signal]),
      clearPromptOnDone: true,
    })
  } catch (error) {
    const isCtrlC = error instanceof Error && error.name === 'ExitPromptError'
    if (left.signal.aborted || isCtrlC) throw new Errors.ExitError(exitCodes.interrupted)
    throw error
  } finally {
    io.stdin.off('keypress', onKey)
  }
}

/** The columns before the text of a row. */
const CURSOR = 2

/** Aligns cells in columns; cuts the first column if the terminal is too narrow. */
export function columns(rows: ReadonlyArray<readonly string[]>, width: number): string[] {
  const safe = rows.map(cells => cells.map(text => printable(text)))
  const [first = 0, ...rest] = neededWidths(safe)
  const others = rest.reduce((sum, one) => sum + one + GAP, 0)
  const room = Math.max(10, Math.min(first, width - others - CURSOR - 1))
  const fitting = safe.map(([head = '', ...more]) => [fit(head, room), ...more])
  return alignedLines(fitting, [room, ...rest])
}
