import {UsageError} from '#lib/cli/terminal/errors.js'
import {nearest} from '#lib/platform/nearest.js'
import type {Manifest} from './manifest.js'
import {pages} from './pages/all.js'
import {unknownError} from './unknown-command.js'

/** The error for words that there is no help for, with those that may be meant. */
export function noHelp(words: readonly string[], {commands, topics}: Manifest): UsageError {
  const typed = words.join(' ')
  const page = nearest(
    typed,
    pages.map(({name}) => name),
  )
  if (page)
    return new UsageError(`There is no help on "${typed}".`, `Did you mean \`drv help ${page}\`?`)
  const ids = [...Object.keys(commands), ...Object.keys(topics)]
  return unknownError(
    typed,
    ids.map(id => id.replaceAll(':', ' ')),
  )
}
