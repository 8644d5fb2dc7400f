import {Flags} from '@oclif/core'
import type {RestDescription} from '../../api/types.js'
import type {Context} from '../command/context.js'

/** Which description a command goes by. */
export const documentFlags = {
  'built-in': Flags.boolean({
    summary: 'Go by the description that drv was built from, and ask no service.',
    exclusive: ['description'],
  }),
  description: Flags.string({
    summary: 'Go by the description in this place; - reads it from standard input.',
    helpValue: 'FILE|URL|-',
  }),
}

interface Chosen {
  readonly 'built-in'?: boolean
  readonly description?: string
}

/**
 * The description that the flags name: that of the profile's service, unless they name another. What
 * is written from it lasts, and the embedded service's address does not: it is left out, with a note.
 */
export async function lastingDocument(context: Context, flags: Chosen): Promise<RestDescription> {
  const {builtIn, profileDocument} = await import('./profile.js')
  if (flags['built-in']) return builtIn().document
  if (flags.description !== undefined) {
    const {loadDocument, readLoaded} = await import('./load.js')
    return readLoaded(await loadDocument(context, flags.description))
  }
  if (!(await context.settings()).embedded) return (await profileDocument(context)).document
  context.note(
    'The local service has an address only while `drv local serve` runs: give it to createClient as baseUrl.',
  )
  return builtIn().document
}
