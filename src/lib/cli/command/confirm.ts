import {Interrupted} from './errors.js'
import type {Io} from './io.js'

/** All that a person is asked: on standard error, for standard output is for results alone. */

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
  if (io.isDumb) {
    const {plainAgreed} = await import('./plainprompts.js')
    return plainAgreed(question, fallback, io, signal)
  }
  const {confirm: ask} = await import('@inquirer/prompts')
  return ask({message: question, default: fallback}, endsOf(io, signal))
}

/** Asks for a secret, which is not shown while it is typed. */
export async function askSecret(question: string, io: Io, signal: AbortSignal): Promise<string> {
  if (io.isDumb) {
    const {plainSecret} = await import('./plainprompts.js')
    return plainSecret(question, io, signal)
  }
  const {password} = await import('@inquirer/prompts')
  return password({message: question}, endsOf(io, signal))
}

/** Has one of some things chosen; `usual` is the one that Enter alone means. */
export async function chooseOne<T>(
  question: string,
  choices: ReadonlyArray<{readonly name: string; readonly value: T}>,
  io: Io,
  signal: AbortSignal,
  usual?: T,
): Promise<T> {
  if (io.isDumb) {
    const {plainChoice} = await import('./plainprompts.js')
    const names = choices.map(({name}) => name)
    const fallback = choices.findIndex(({value}) => value === usual)
    return choices[await plainChoice(question, names, fallback, io, signal)]!.value
  }
  const {select} = await import('@inquirer/prompts')
  return select({message: question, choices, default: usual}, endsOf(io, signal))
}

function endsOf({stdin, stderr}: Io, signal: AbortSignal) {
  return {input: stdin, output: stderr, signal}
}
