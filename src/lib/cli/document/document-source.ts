import {Flags} from '@oclif/core'
import type {RestDescription} from '#lib/api/types.js'
import type {Context} from '#lib/cli/context/context.js'
import type {Values} from '#lib/cli/input/call-input.js'
import {operationBaseFlags} from '#lib/cli/run/read-line.js'
import {ranked, readArgv} from '#lib/cli/terminal/read-argv.js'
import type {ProfileDocument} from './profile-document.js'

/** Which description a command goes by. */
export const documentFlags = {
  'built-in': Flags.boolean({
    summary: 'Go by the description that drv was built from, and ask no service.',
    exclusive: ['description'],
  }),
  description: ranked(
    13,
    Flags.string({
      summary: 'Go by the description in this place; - reads it from standard input.',
      helpValue: 'FILE|URL|-',
    }),
  ),
}

/** All flags that are known of a line before its method is. */
const KNOWN = {...operationBaseFlags, ...documentFlags}

/** The first word that is no flag and no value of a known one: what names the method. */
export function leadingWord(argv: readonly string[]) {
  return readArgv(argv, KNOWN).find(({kind, words}) => kind === 'argument' && words[0] !== '-')
}

/** What finds the method: the word that names it, and the flags that are known before it is. */
export function wordsBeforeMethod(argv: readonly string[]): string[] {
  return [
    ...(leadingWord(argv)?.words ?? []),
    ...readArgv(argv, KNOWN).flatMap(({isKnown, words}) => (isKnown ? words : [])),
  ]
}

/**
 * The description that the flags name: that of the profile's service, unless they name another. Throws
 * `UsageError` for what is no description, and what a request for it fails with.
 */
export async function chosenDocument(
  context: Context,
  flags: Values,
): Promise<Omit<ProfileDocument, 'from'> & {readonly from: ProfileDocument['from'] | 'named'}> {
  const {builtIn, profileDocument} = await import('./profile-document.js')
  if (flags['built-in']) return builtIn()
  if (flags.description === undefined) return profileDocument(context)
  const {loadDocument, readLoaded} = await import('./load.js')
  const loaded = await loadDocument(context, String(flags.description))
  return {...loaded, document: readLoaded(loaded), from: 'named'}
}

/**
 * The same for what is written from it and lasts, which the embedded service's address does not: it is
 * left out, with a note.
 */
export async function lastingDocument(context: Context, flags: Values): Promise<RestDescription> {
  const isOfProfile = !flags['built-in'] && flags.description === undefined
  if (!isOfProfile || !(await context.settings()).embedded) {
    return (await chosenDocument(context, flags)).document
  }
  context.note(
    'The local service has an address only while `drv local serve` runs: give it to createClient as baseUrl.',
  )
  return (await chosenDocument(context, {'built-in': true})).document
}
