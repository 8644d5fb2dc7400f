import {Flags} from '@oclif/core'
import type {RestDescription} from '#lib/api/types.js'
import type {Context} from '#lib/cli/context/context.js'
import type {FlagValues} from '#lib/cli/input/call-input.js'
import {operationBaseFlags} from '#lib/cli/run/read-line.js'
import {ranked, readArgv} from '#lib/cli/terminal/read-argv.js'
import type {ProfileDocument} from './profile-document.js'

/** Flags that choose the description a command uses. */
export const documentFlags = {
  'built-in': Flags.boolean({
    summary: 'Use the description built into drv instead of asking the service.',
    exclusive: ['description'],
  }),
  description: ranked(
    13,
    Flags.string({
      summary: 'Use this description (- reads standard input).',
      helpValue: 'FILE|URL|-',
    }),
  ),
}

/** The flags known before the method is. */
const KNOWN = {...operationBaseFlags, ...documentFlags}

/** The first word of argv that is neither a flag nor a flag's value: it names the method. */
export function leadingWord(argv: readonly string[]) {
  return readArgv(argv, KNOWN).find(({kind, words}) => kind === 'argument' && words[0] !== '-')
}

/** The words of argv that find the method: its name, and the flags known before the method is. */
export function wordsBeforeMethod(argv: readonly string[]): string[] {
  return [
    ...(leadingWord(argv)?.words ?? []),
    ...readArgv(argv, KNOWN).flatMap(({isKnown, words}) => (isKnown ? words : [])),
  ]
}

/**
 * The description that the flags name, or that of the profile's service. Throws `UsageError` for an
 * invalid description, and the errors of requests.
 */
export async function requestedDocument(
  context: Context,
  flags: FlagValues,
): Promise<Omit<ProfileDocument, 'from'> & {readonly from: ProfileDocument['from'] | 'named'}> {
  const {builtIn, profileDocument} = await import('./profile-document.js')
  if (flags['built-in']) return builtIn()
  if (flags.description === undefined) return profileDocument(context)
  const {loadDocument, readLoaded} = await import('./load.js')
  const loaded = await loadDocument(context, String(flags.description))
  return {...loaded, document: readLoaded(loaded), from: 'named'}
}

/**
 * The same for generated files, which outlive the address of the local service: the address is left
 * out, with a notice.
 */
export async function storedDocument(
  context: Context,
  flags: FlagValues,
): Promise<RestDescription> {
  const isOfProfile = !flags['built-in'] && flags.description === undefined
  if (!isOfProfile || !(await context.settings()).embedded) {
    return (await requestedDocument(context, flags)).document
  }
  context.note(
    'The local service has no permanent URL. Run `drv local serve` and pass its URL to createClient as baseUrl.',
  )
  return (await requestedDocument(context, {'built-in': true})).document
}
