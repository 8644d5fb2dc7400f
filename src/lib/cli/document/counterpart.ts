import {description} from '../../api/description/index.js'
import {cleaned} from '../../api/document/clean.js'
import {kebabCase} from '../../api/names.js'
import {nearest} from '../../api/nearest.js'
import {type Operation, operationsOf} from '../../api/operations.js'
import type {RestDescription} from '../../api/types.js'
import {checkAddress} from '../../config/address.js'
import type {Values} from '../arguments/input.js'
import type {Context, Counterpart} from '../command/context.js'
import {UsageError} from '../command/errors.js'
import {loadDocument, readLoaded} from './load.js'
import {profileDocument} from './profile.js'

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
  if (flags['built-in']) return {document: description}
  const settings = await context.settings()
  if (flags.description === undefined) {
    if (settings.embedded) return {document: description}
    const {document: served, from} = await profileDocument(context)
    const document = cleaned(served)
    return from === 'built-in'
      ? {document: description}
      : {document, counterpart: {document, hasToken: true}}
  }
  const document = cleaned(readLoaded(await loadDocument(context, String(flags.description))))
  const baseUrl = checkAddress(document.rootUrl, `The rootUrl of ${String(flags.description)}`)
  const {origin, host} = new URL(baseUrl)
  const hasToken = !settings.embedded && settings.binding === origin
  if (!hasToken) {
    context.note(
      `Note: no token is sent to ${host}, for profile "${settings.profile}" belongs to another service. Name one of that service with --profile.`,
    )
  }
  return {document, counterpart: {document, baseUrl, hasToken}}
}

/**
 * The method of that name: `drive.files.trash`, `files.trash` or `files.generate-ids`. Throws
 * `UsageError` for a name that is none, with the nearest one that is.
 */
export function methodNamed(document: RestDescription, name: string): Operation {
  const all = operationsOf(document)
  const short = ({resource, verb}: Operation) => [resource, verb].filter(Boolean).join('.')
  const found =
    all.find(({id}) => id === name) ??
    all.find(method => [short(method), kebabCase(short(method))].includes(name))
  if (found) return found
  const meant = nearest(name, [...all.map(({id}) => id), ...all.map(short)])
  throw new UsageError(
    `The description of ${document.title || document.id} has no method "${name}".`,
    meant === undefined ? '`drv api describe` shows all.' : `Did you mean ${meant}?`,
  )
}
