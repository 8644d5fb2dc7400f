import {setTimeout as wait} from 'node:timers/promises'
import {input, search, select} from '@inquirer/prompts'
import {Errors} from '@oclif/core'
import {harmlessLine, printable} from '#lib/platform/sanitize.js'
import {GAP} from './column-widths.js'
import {exitCodes} from './exit-codes.js'
import type {Io} from './io.js'
import {alignedLines, neededWidths} from './layout.js'
import {fit} from './width.js'

/**
 * What a command line lacks is asked for at a terminal: that lives here. Questions about what a whole
 * command line would do belong to `../command/confirm.ts` and `../guard`.
 */

export interface Asking {
  readonly io: Io
  readonly signal: AbortSignal
}

/** A row to choose. */
export interface Choice<T> {
  readonly name: string
  readonly value: T
}

/** A row that only says something. */
export interface Remark {
  readonly type: 'separator'
  readonly separator: string
}

/** A row as it is shown: names in it come from a service. */
function shownRow<R extends Choice<unknown> | Remark>(row: R): R {
  return 'separator' in row
    ? {...row, separator: harmlessLine(row.separator)}
    : {...row, name: harmlessLine(row.name)}
}

/** Milliseconds without a key after which the service is asked for what was typed. */
const PAUSE = 250

/** The most rows that are shown at once, and the lines that a question takes beside them. */
const MOST_ROWS = 15
const OTHER_LINES = 5

/** A text, asked for until `check` has nothing to say about it. */
export async function askText(
  asking: Asking,
  message: string,
  check: (text: string) => string | undefined = text =>
    text === '' ? 'Type something.' : undefined,
): Promise<string> {
  const validate = (text: string) => {
    const problem = check(text.trim())
    return problem === undefined || harmlessLine(problem)
  }
  return (
    await atTerminal(asking, ends => input({message: harmlessLine(message), validate}, ends))
  ).trim()
}

/** One of a few. */
export async function askChoice<T>(
  asking: Asking,
  message: string,
  choices: ReadonlyArray<Choice<T>>,
): Promise<T> {
  const pageSize = rowsOf(asking)
  const config = {message: harmlessLine(message), choices: choices.map(shownRow), pageSize}
  return atTerminal(asking, ends => select(config, ends))
}

export interface Searched<T> {
  readonly message: string
  /** What is shown before anything is typed. */
  readonly first: ReadonlyArray<Choice<T> | Remark>
  /** The one of them that Enter alone means, if not the first. */
  readonly usual?: T
  /** What there is for a text that was typed. */
  readonly find: (text: string) => Promise<ReadonlyArray<Choice<T> | Remark>>
  /** That costs requests, so it is asked once no key came for a moment. */
  readonly asksService: boolean
}

/** One of many, found by what is typed. */
export async function askSearch<T>(
  asking: Asking,
  {message, first, usual, find, asksService}: Searched<T>,
): Promise<T> {
  const source = async (text: string | undefined, {signal}: {readonly signal: AbortSignal}) => {
    if (text === undefined || text.trim() === '') return first.map(shownRow)
    if (asksService) await wait(PAUSE, undefined, {signal})
    return (await find(text.trim())).map(shownRow)
  }
  const pageSize = rowsOf(asking)
  const shown = harmlessLine(message)
  const config = {message: shown, source, pageSize, ...(usual !== undefined && {default: usual})}
  return atTerminal(asking, ends => search<T>(config, ends))
}

function rowsOf({io}: Asking): number {
  return Math.max(1, Math.min(MOST_ROWS, io.height - OTHER_LINES))
}

interface Ends {
  readonly input: Io['stdin']
  readonly output: Io['stderr']
  readonly signal: AbortSignal
  readonly clearPromptOnDone: true
}

/** Asks on standard error, and wipes the question away; Esc and Ctrl-C end the command without a word. */
async function atTerminal<T>({io, signal}: Asking, prompt: (ends: Ends) => Promise<T>): Promise<T> {
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

/** Columns that a row has before its text. */
const CURSOR = 2

/** Lines of cells one below the other; the first cell gives way where a terminal is too narrow. */
export function columns(rows: ReadonlyArray<readonly string[]>, width: number): string[] {
  const safe = rows.map(cells => cells.map(text => printable(text)))
  const [first = 0, ...rest] = neededWidths(safe)
  const others = rest.reduce((sum, one) => sum + one + GAP, 0)
  const room = Math.max(10, Math.min(first, width - others - CURSOR - 1))
  const fitting = safe.map(([head = '', ...more]) => [fit(head, room), ...more])
  return alignedLines(fitting, [room, ...rest])
}
