import {Args} from '@oclif/core'
import type {Context} from '#lib/cli/context/context.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import type {CallInput, Page} from '#lib/client/client.js'
import {ProtocolError} from '#lib/client/errors.js'
import {webAddress} from '#lib/config/address.js'
import {createLookups} from './lookups.js'

/** What `drv url` and `drv open` share with the commands of `drv files`. */

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
  return linkIn(await client.call('files.get', linkInput(fileId)))
}

/** What asks for it. */
export function linkInput(fileId: string): CallInput {
  return {params: {fileId, fields: 'alternateLink', supportsAllDrives: 'true'}}
}

/** The address in a file's record, on one line; fails in the same way, and for what is no address. */
export function linkIn({alternateLink}: Page = {}): string {
  if (alternateLink === undefined) {
    throw new CommandError('failed', 'The service has no address for this file in a browser.')
  }
  const address = typeof alternateLink === 'string' ? webAddress(alternateLink) : undefined
  if (address !== undefined) return address
  throw new ProtocolError('The service sent an alternateLink that is no address of a page.')
}

/** Opens a file in the browser, and gives the address. Throws `CommandError` where no browser starts. */
export async function openInBrowser(context: Context, word: string): Promise<string> {
  const alternateLink = await linkOf(context, word)
  const {openBrowser} = await import('#lib/auth/flows/waiting.js')
  if (await openBrowser(alternateLink, context.environment.BROWSER)) return alternateLink
  throw new CommandError(
    'failed',
    `No browser could be opened for ${alternateLink}.`,
    'Set BROWSER to a browser, or open the address yourself.',
  )
}
