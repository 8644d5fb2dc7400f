import type {Parsed} from '#lib/cli/input/call-input.js'
import {UsageError} from '#lib/cli/terminal/errors.js'

/** Throws `UsageError` where standard input would have to be read twice. */
export function checkOneReader({args, flags}: Parsed): void {
  const words = Object.values(args).flat()
  const readers = [
    ...(flags.from === '-' ? ['--from -'] : []),
    ...(flags.body === '-' ? ['--body -'] : []),
    ...words.filter(word => word === '-'),
  ]
  if (readers.length < 2) return
  throw new UsageError(
    `Standard input can be read only once, not by ${readers.join(' and by ')}.`,
    'Put one of them into a file.',
  )
}
