import {description, descriptionAt} from '../../api/description/index.js'
import type {RestDescription} from '../../api/types.js'
import {fetchDocument} from '../../client/discovery.js'
import type {Context} from '../command/context.js'
import {type LoadedDocument, readLoaded} from './load.js'

/** The description that a command goes by. */
export interface ProfileDocument extends LoadedDocument {
  readonly document: RestDescription
  readonly from: 'service' | 'built-in'
}

/** The description that `drv` is built from, as of a service at an address. */
export function builtIn(baseUrl?: string): ProfileDocument {
  const document = baseUrl === undefined ? description : descriptionAt(baseUrl)
  return {document, json: document, from: 'built-in', source: 'the description built into drv'}
}

/** The description of the service that the profile points at; fails as every request does. */
export async function profileDocument(
  context: Pick<Context, 'addresses' | 'plainSender'>,
): Promise<ProfileDocument> {
  const {baseUrl} = await context.addresses()
  const {name, version} = description
  const source = `${baseUrl}/discovery/v1/apis/${name}/${version}/rest`
  const json: unknown = JSON.parse(await fetchDocument(await context.plainSender(source), source))
  return {document: readLoaded({json, source}), json, from: 'service', source}
}
