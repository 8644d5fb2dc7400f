import {Args} from '@oclif/core'
import {ProtocolError} from '../../client/errors.js'
import type {Context} from '../command/context.js'
import {CommandError} from '../command/errors.js'
import {createLookups} from './lookups.js'

/** What `drv files url` and `drv files open` share. */

export const fileArg = {
  file_id: Args.string({
    description: 'The file or folder (ID, path or link).',
    required: true,
    ignoreStdin: true,
  }),
}

/**
 * The address that stands for a file in a browser, its `alternateLink`. Only http and https are
 * taken; throws `CommandError` where the file has none.
 */
export async function linkOf(context: Context, word: string): Promise<string> {
  const fileId = await createLookups(context).file(word)
  const client = await context.client()
  const params = {fileId, fields: 'alternateLink', supportsAllDrives: 'true'}
  const {alternateLink} = (await client.call('files.get', {params})) ?? {}
  if (alternateLink === undefined) {
    throw new CommandError('failed', 'The service has no address for this file in a browser.')
  }
  const isAddress = typeof alternateLink === 'string' && URL.canParse(alternateLink)
  if (isAddress && /^https?:$/.test(new URL(alternateLink).protocol)) return alternateLink
  throw new ProtocolError('The service sent an alternateLink that is no address of a page.')
}
