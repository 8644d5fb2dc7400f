import {Writable} from 'node:stream'
import {harmlessLine} from '#lib/platform/sanitize.js'
import {Interrupted} from './errors.js'
import type {Io} from './io.js'
import {wrapText} from './wrap-text.js'

/**
 * Confirmations and choices: on standard error, because standard output is for results alone. What is
 * shown is made harmless here, since it may hold names that others gave.
 */

/** Asks a question that is answered with yes or no; anything but yes throws `Interrupted`. */
export async function confirm(question: string, io: Io, signal: AbortSignal): Promise<void> {
  if (!(await isAgreed(question, io, signal))) throw new Interrupted('Nothing was done.')
}

/** Asks a question that is answered with yes or no; `fallback` is what Enter alone means. */
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

/** Asks for a secret, which is not shown while it is typed. */
export async function askSecret(question: string, io: Io, signal: AbortSignal): Promise<string> {
  const message = shownQuestion(question, io)
  if (io.isDumb) return plainSecret(message, io, signal)
  const {password} = await import('@inquirer/prompts')
  return password({message}, endsOf(io, signal))
}

/** Has one of some things chosen; `usual` is the one that Enter alone means. */
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

/** Columns in front of a question, and of the answers behind it. */
const PREFIX = 2

/** The question, harmless and broken between words. */
function shownQuestion(question: string, {width}: Pick<Io, 'width'>): string {
  return wrapText(harmlessLine(question), width - PREFIX)
}

function endsOf({stdin, stderr}: Io, signal: AbortSignal) {
  return {input: stdin, output: stderr, signal}
}

type Ends = Pick<Io, 'stdin' | 'stderr'>

// Where a terminal takes no escape sequences (TERM=dumb), questions are lines alone.

/** Yes or no; asked again until it is one of them, or nothing, which is `fallback`. */
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

/** The number of one of some choices, from 0 on; nothing is that of `fallback`, where there is one. */
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

/** A line of which nothing is shown. */
async function plainSecret(question: string, ends: Ends, signal: AbortSignal): Promise<string> {
  try {
    return await readLine(`${question} `, ends, signal, true)
  } finally {
    ends.stderr.write('\n')
  }
}

/** Throws an `AbortError` where the input ends, or Ctrl-C is read as a key. */
async function readLine(
  question: string,
  {stdin, stderr}: Ends,
  signal: AbortSignal,
  isSecret = false,
): Promise<string> {
  const {createInterface} = await import('node:readline/promises')
  // The keys are read one by one, which keeps the terminal from showing them; what is drawn goes nowhere.
  const nowhere = new Writable({write: (_chunk, _encoding, done) => done()})
  const output = isSecret ? nowhere : stderr
  const lines = createInterface({input: stdin, output, terminal: isSecret})
  const stopped = new Promise<never>((_, reject) => {
    const stop = () => reject(new DOMException('Nothing comes any more.', 'AbortError'))
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
