import {harmlessLine} from '#lib/platform/sanitize.js'
import {Interrupted} from './errors.js'
import type {Io} from './io.js'

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
  const message = harmlessLine(question)
  if (io.isDumb) {
    const {plainAgreed} = await import('./plain-prompts.js')
    return plainAgreed(message, fallback, io, signal)
  }
  const {confirm: ask} = await import('@inquirer/prompts')
  return ask({message, default: fallback}, endsOf(io, signal))
}

/** Asks for a secret, which is not shown while it is typed. */
export async function askSecret(question: string, io: Io, signal: AbortSignal): Promise<string> {
  const message = harmlessLine(question)
  if (io.isDumb) {
    const {plainSecret} = await import('./plain-prompts.js')
    return plainSecret(message, io, signal)
  }
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
  const message = harmlessLine(question)
  const shown = choices.map(({name, value}) => ({name: harmlessLine(name), value}))
  if (io.isDumb) {
    const {plainChoice} = await import('./plain-prompts.js')
    const names = shown.map(({name}) => name)
    const fallback = shown.findIndex(({value}) => value === usual)
    return shown[await plainChoice(message, names, fallback, io, signal)]!.value
  }
  const {select} = await import('@inquirer/prompts')
  return select({message, choices: shown, default: usual}, endsOf(io, signal))
}

function endsOf({stdin, stderr}: Io, signal: AbortSignal) {
  return {input: stdin, output: stderr, signal}
}
