import {Writable} from 'node:stream'
import {harmlessLine} from '#lib/platform/sanitize.js'
import {Interrupted} from './errors.js'
import type {Io} from './io.js'
import {wrapText} from './wrap-text.js'

/**
 * Confirmations and choices, on standard error, since standard output has only results. Removes control
 * characters, because names can come from other users.
 */

/** Asks a yes-or-no question; throws `Interrupted` for any answer except yes. */
export async function confirm(question: string, io: Io, signal: AbortSignal): Promise<void> {
  if (!(await isAgreed(question, io, signal)))
    throw new Interrupted('Canceled; nothing was changed.')
}

/** Asks a yes-or-no question; Enter means `fallback`. */
export async function isAgreed(
  question: string,
  io: Io,
  signal: AbortSignal,
  fallback = false,
): Promise<boolean> {
  const message = shownQuestion(question, io)
  if (io.isDumb) return plainAgreed(message, fallback, io, signal)
  const {confirm: ask} = await import('@inquirer/prompts')
  return ask({message, default: fallback}, endsOf(io, signal))
}

/** Prompts for a secret without echoing it. */
export async function askSecret(question: string, io: Io, signal: AbortSignal): Promise<string> {
  const message = shownQuestion(question, io)
  if (io.isDumb) return plainSecret(message, io, signal)
  const {password} = await import('@inquirer/prompts')
  return password({message}, endsOf(io, signal))
}

/** Prompts for one of several choices; Enter selects `usual`. */
export async function chooseOne<T>(
  question: string,
  choices: ReadonlyArray<{readonly name: string; readonly value: T}>,
  io: Io,
  signal: AbortSignal,
  usual?: T,
): Promise<T> {
  const message = shownQuestion(question, io)
  const shown = choices.map(({name, value}) => ({name: harmlessLine(name), value}))
  if (io.isDumb) {
    const names = shown.map(({name}) => name)
    const fallback = shown.findIndex(({value}) => value === usual)
    return shown[await plainChoice(message, names, fallback, io, signal)]!.value
  }
  const {select} = await import('@inquirer/prompts')
  return select({message, choices: shown, default: usual}, endsOf(io, signal))
}

/** The columns before a question. */
const PREFIX = 2

/** The question without control characters, wrapped. */
function shownQuestion(question: string, {width}: Pick<Io, 'width'>): string {
  return wrapText(harmlessLine(question), width - PREFIX)
}

function endsOf({stdin, stderr}: Io, signal: AbortSignal) {
  return {input: stdin, output: stderr, signal}
}

type Ends = Pick<Io, 'stdin' | 'stderr'>

// With TERM=dumb, prompts are plain lines.

/** Asks until the answer is yes, no or Enter, which means `fallback`. */
async function plainAgreed(
  question: string,
  fallback: boolean,
  ends: Ends,
  signal: AbortSignal,
): Promise<boolean> {
  for (;;) {
    const answer = await readLine(`${question} (${fallback ? 'Y/n' : 'y/N'}) `, ends, signal)
    if (answer === '') return fallback
    if (/^(y|yes|n|no)$/i.test(answer)) return /^y/i.test(answer)
  }
}

/** The index of the chosen entry; Enter selects `fallback` unless that is -1. */
async function plainChoice(
  question: string,
  names: readonly string[],
  fallback: number,
  ends: Ends,
  signal: AbortSignal,
): Promise<number> {
  ends.stderr.write(`${question}\n${names.map((name, at) => `${at + 1}. ${name}\n`).join('')}`)
  const usual = fallback < 0 ? '' : ` [${fallback + 1}]`
  for (;;) {
    const answer = await readLine(`Number from 1 to ${names.length}${usual}: `, ends, signal)
    if (answer === '' && fallback >= 0) return fallback
    if (/^\d{1,6}$/.test(answer) && Number(answer) >= 1 && Number(answer) <= names.length) {
      return Number(answer) - 1
    }
  }
}

/** Reads a line without echoing it. */
async function plainSecret(question: string, ends: Ends, signal: AbortSignal): Promise<string> {
  try {
    return await readLine(`${question} `, ends, signal, true)
  } finally {
    ends.stderr.write('\n')
  }
}

/** Reads a line; throws an `AbortError` at the end of the input or on Ctrl-C. */
async function readLine(
  question: string,
  {stdin, stderr}: Ends,
  signal: AbortSignal,
  isSecret = false,
): Promise<string> {
  const {createInterface} = await import('node:readline/promises')
  // Terminal mode reads single keys, so the terminal does not echo them; readline's own echo is discarded.
  const nowhere = new Writable({write: (_chunk, _encoding, done) => done()})
  const output = isSecret ? nowhere : stderr
  const lines = createInterface({input: stdin, output, terminal: isSecret})
  const stopped = new Promise<never>((_, reject) => {
    const stop = () => reject(new DOMException('The input has ended.', 'AbortError'))
    lines.once('SIGINT', stop).once('close', stop)
  })
  try {
    const answer = lines.question(isSecret ? '' : question, {signal})
    if (isSecret) stderr.write(question)
    return (await Promise.race([answer, stopped])).trim()
  } finally {
    lines.close()
  }
}
