import {Flags} from '@oclif/core'
import {UsageError} from '#lib/cli/terminal/errors.js'

/** The flag that says how far down to look. */
export function depthFlag(summary: string) {
  return {depth: Flags.string({summary, helpValue: 'N'})}
}

/** How many levels a command line asks for; `otherwise` where it says nothing. Throws `UsageError`. */
export function depthIn(text: string | undefined, least: number, otherwise: number): number {
  if (text === undefined) return otherwise
  if (/^\d{1,6}$/.test(text) && Number(text) >= least) return Number(text)
  throw new UsageError(`--depth must be a whole number from ${least} on, not "${text}".`)
}
