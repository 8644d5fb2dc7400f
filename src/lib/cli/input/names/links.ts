import {Args} from '@oclif/core'
import type {Context} from '#lib/cli/context/context.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import type {CallInput, Page} from '#lib/client/client.js'
import {ProtocolError} from '#lib/client/errors.js'
import {webAddress} from '#lib/config/address.js'
import {createResolver} from './resolver.js'

/* Shared by `drv url`, `drv open` and the commands of `drv files`. */

export const fileArg = {
  file_id: Args.string({
    description: 'File or folder (path, link or ID).',
    required: true,
    ignoreStdin: true,
  }),
}

/**
 * The URL of a file's page, its `alternateLink`. Throws `CommandError` if the file has none, and
 * `ProtocolError` if it is not http or https.
 */
export async function linkOf(context: Context, word: string): Promise<string> {
  const fileId = await createResolver(context).file(word)
  const client = await context.client()
  return linkIn(await client.call('files.get', linkInput(fileId)))
}

/** The request for a file's `alternateLink`. */
export function linkInput(fileId: string): CallInput {
  return {params: {fileId, fields: 'alternateLink', supportsAllDrives: 'true'}}
}

/** The `alternateLink` of a file's record. Throws like `linkOf`. */
export function linkIn({alternateLink}: Page = {}): string {
  if (alternateLink === undefined) {
    throw new CommandError(
      'failed',
      'This file has no web page: the service returned no alternateLink.',
    )
  }
  const url = typeof alternateLink === 'string' ? webAddress(alternateLink) : undefined
  if (url !== undefined) return url
  throw new ProtocolError(
    'The service returned an invalid alternateLink: it must be an http or https URL without a user name.',
  )
}

/** Opens a file in the browser and returns its URL. Throws `CommandError` if no browser starts. */
export async function openInBrowser(context: Context, word: string): Promise<string> {
  const alternateLink = await linkOf(context, word)
  const {openBrowser} = await import('#lib/auth/flows/waiting.js')
  if (await openBrowser(alternateLink, context.environment.BROWSER)) return alternateLink
  throw new CommandError(
    'failed',
    `Cannot open a browser for ${alternateLink}.`,
    'Set BROWSER to the command of a browser, or open the URL yourself.',
  )
}
