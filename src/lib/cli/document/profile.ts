import {description} from '../../api/description/index.js'
import type {RestDescription} from '../../api/types.js'
import type {Context} from '../command/context.js'
import {type LoadedDocument, loadDocument, readLoaded} from './load.js'

/** The description that a command goes by. */
export interface ProfileDocument extends LoadedDocument {
  readonly document: RestDescription
  /** From the service now, from it at an earlier time, or from `drv` itself. */
  readonly from: 'service' | 'kept' | 'built-in'
}

/** The description of the service that the profile points at. */
export async function profileDocument(context: Context): Promise<ProfileDocument> {
  const {baseUrl} = await context.addresses()
  const {name, version} = description
  const loaded = await loadDocument(context, `${baseUrl}/discovery/v1/apis/${name}/${version}/rest`)
  return {...loaded, document: readLoaded(loaded), from: 'service'}
}
