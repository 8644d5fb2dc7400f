import {description} from '#lib/api/description/index.js'
import {cleaned} from '#lib/api/document/clean.js'
import type {RestDescription} from '#lib/api/types.js'
import type {Context, ServiceIdentity} from '#lib/cli/context/context.js'
import type {FlagValues} from '#lib/cli/input/call-input.js'
import {checkAddress} from '#lib/config/address.js'
import {requestedDocument} from './document-source.js'

/** A description and the API to call with it; `counterpart` is missing for the built-in one. */
export interface ApiTarget {
  readonly document: RestDescription
  readonly counterpart?: ServiceIdentity
}

/**
 * The description that the flags select: a named one, the built-in one, or that of the profile's
 * service. A token goes only to the origin it belongs to; a notice says when none is sent. Throws
 * `UsageError` for an invalid description, and the errors of requests.
 */
export async function findTargetApi(context: Context, flags: FlagValues): Promise<ApiTarget> {
  const settings = await context.settings()
  const isNamed = flags.description !== undefined
  // The local service serves the built-in description.
  if (!isNamed && (flags['built-in'] || settings.embedded)) return {document: description}
  const {document: given, from, source} = await requestedDocument(context, flags)
  if (from === 'built-in') return {document: description}
  const document = cleaned(given)
  if (!isNamed) return {document, counterpart: {document, hasToken: true}}
  const baseUrl = checkAddress(document.rootUrl, `The rootUrl of ${source}`)
  const {origin, host} = new URL(baseUrl)
  const hasToken = !settings.embedded && settings.binding === origin
  if (!hasToken) {
    context.note(
      `Sending no token to ${host}: profile "${settings.profile}" belongs to another service. To send a token, pass --profile with a profile for ${host}.`,
    )
  }
  return {document, counterpart: {document, baseUrl, hasToken}}
}
