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

/** The description that the flags name: that of the profile's service, unless they name another. */
export async function chosenDocument(context: Context, flags: Chosen): Promise<RestDescription> {
  const {builtIn, profileDocument} = await import('./profile.js')
  if (flags['built-in']) return builtIn().document
  if (flags.description === undefined) return (await profileDocument(context)).document
  const {loadDocument, readLoaded} = await import('./load.js')
  return readLoaded(await loadDocument(context, flags.description))
}
