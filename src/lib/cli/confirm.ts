import {Interrupted} from './errors.js'
import type {Io} from './io.js'

/** Asks a question that is answered with yes or no; anything but yes throws `Interrupted`. */
export async function confirm(question: string, io: Io, signal: AbortSignal): Promise<void> {
  const {confirm: ask} = await import('@inquirer/prompts')
  const isYes = await ask(
    {message: question, default: false},
    // Standard output is for results alone.
    {input: io.stdin, output: io.stderr, signal},
  )
  if (!isYes) throw new Interrupted('Nothing was done.')
}
