import {description} from '#lib/api/description/index.js'
import {cleaned} from '#lib/api/document/clean.js'
import type {RestDescription} from '#lib/api/types.js'
import type {Context, Counterpart} from '#lib/cli/context/context.js'
import type {Values} from '#lib/cli/input/call-input.js'
import {checkAddress} from '#lib/config/address.js'
import {chosenDocument} from './document-source.js'

/** A description, and who is called by it; the built-in one needs nobody else. */
export interface Found {
  readonly document: RestDescription
  readonly counterpart?: Counterpart
}

/**
 * The description that a command line asks for: the one that is named, the built-in one, or that of the
 * profile's service. A token goes to the origin that it belongs to alone; that one stays behind is
 * told. Throws `UsageError` for what is no description, and what a request fails with.
 */
export async function findCounterpart(context: Context, flags: Values): Promise<Found> {
  const settings = await context.settings()
  const isNamed = flags.description !== undefined
  // The embedded service's own is the built-in one.
  if (!isNamed && (flags['built-in'] || settings.embedded)) return {document: description}
  const {document: given, from, source} = await chosenDocument(context, flags)
  if (from === 'built-in') return {document: description}
  const document = cleaned(given)
  if (!isNamed) return {document, counterpart: {document, hasToken: true}}
  const baseUrl = checkAddress(document.rootUrl, `The rootUrl of ${source}`)
  const {origin, host} = new URL(baseUrl)
  const hasToken = !settings.embedded && settings.binding === origin
  if (!hasToken) {
    context.note(
      `Note: no token is sent to ${host}, for profile "${settings.profile}" belongs to another service. Name one of that service with --profile.`,
    )
  }
  return {document, counterpart: {document, baseUrl, hasToken}}
}
