import {Interrupted} from './errors.js'
import type {Io} from './io.js'

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
  const {confirm: ask} = await import('@inquirer/prompts')
  return ask(
    {message: question, default: fallback},
    // Standard output is for results alone.
    {input: io.stdin, output: io.stderr, signal},
  )
}

/** Asks for a secret, which is not shown while it is typed. */
export async function askSecret(question: string, io: Io, signal: AbortSignal): Promise<string> {
  const {password} = await import('@inquirer/prompts')
  return password({message: question}, {input: io.stdin, output: io.stderr, signal})
}
