import {join} from 'node:path'
import {description, descriptionAt} from '#lib/api/description/index.js'
import type {RestDescription} from '#lib/api/types.js'
import type {Context} from '#lib/cli/context/context.js'
import {sentenceFor} from '#lib/cli/explain/explain.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {documentAddresses, type DocumentPlace, findDocument} from '#lib/client/discovery.js'
import {NetworkError, ProtocolError, ProxyError, ServiceError} from '#lib/client/errors.js'
import {cacheDirectory, systemHome} from '#lib/config/paths.js'
import {DataError, SetupError} from '#lib/platform/setup-error.js'
import {jsonFormat, nameFromKey, type StateFile, stateFile} from '#lib/platform/state-file.js'
import {isObject} from '#lib/platform/values.js'
import {type LoadedDocument, loadedFrom, readLoaded} from './load.js'

/** The description that a command goes by. */
export interface ProfileDocument extends LoadedDocument {
  readonly document: RestDescription
  /** From the service now, from it at an earlier time, or from `drv` itself. */
  readonly from: 'service' | 'kept' | 'built-in'
}

/** What the profile's document needs to know of a command. */
export type Place = Pick<
  Context,
  'settings' | 'addresses' | 'plainSender' | 'environment' | 'signal' | 'note'
>

/** Milliseconds to wait for a service that says nothing, where another document takes its place. */
const PATIENCE = 10_000

/** What says that a service gave no description: no answer, a refusal, or something else. */
const FAILURES = [NetworkError, ProxyError, ServiceError, ProtocolError, UsageError] as const

/** The description that `drv` is built from, as of a service at an address. */
export function builtIn(baseUrl?: string): ProfileDocument {
  const document = baseUrl === undefined ? description : descriptionAt(baseUrl)
  return {document, json: document, from: 'built-in', source: 'the description built into drv'}
}

/**
 * The description of the service that the profile points at, for which no token is sent and nobody has
 * to be signed in. It is kept, and asked for again only where it changed; where the service gives none,
 * the kept one takes its place, else the built-in one, and a note says why. Throws `SetupError` for
 * settings that name no service.
 */
export async function profileDocument(context: Place): Promise<ProfileDocument> {
  const {embedded} = await context.settings()
  if (!embedded) {
    const {baseUrl} = await context.addresses()
    return documentAt(context, baseUrl, documentPath(context, baseUrl))
  }
  try {
    const {baseUrl} = await context.addresses()
    // Its address is another one each time, and it is there whenever it is needed.
    return await documentAt(context, baseUrl, undefined)
  } catch (error) {
    if (!(error instanceof DataError || error instanceof SetupError)) throw error
    return instead(context, sentenceFor(error))
  }
}

async function documentAt(
  context: Place,
  baseUrl: string,
  file: string | undefined,
): Promise<ProfileDocument> {
  const cache = documentCache(file)
  const kept = await readable(cache.read())
  const failed = (why: string) => instead(context, why, baseUrl, kept?.found)
  try {
    const sender = await context.plainSender(baseUrl, PATIENCE)
    const found = await findDocument(sender, documentAddresses(baseUrl, description), kept)
    if (!found) return failed(`${baseUrl} publishes no description of itself.`)
    const {url, etag, text} = found
    // Only what is kept can be unchanged.
    if (text === undefined) return {...kept!.found, from: 'service'}
    const read = await documentIn(text, url)
    await cache.tryWrite({url, etag, text})
    return {...read, from: 'service'}
  } catch (error) {
    if (context.signal.aborted || !FAILURES.some(kind => error instanceof kind)) throw error
    return failed(sentenceFor(error))
  }
}

async function documentIn(text: string, source: string) {
  const loaded = await loadedFrom(text, source)
  return {...loaded, document: readLoaded(loaded)}
}

/** A kept document with what it says; `undefined` for one that nobody can read any more. */
async function readable(kept: CachedDocument | undefined) {
  if (!kept) return undefined
  try {
    return {...kept, found: await documentIn(kept.text, kept.url)}
  } catch {
    return undefined
  }
}

/** What a command goes by instead of what the service should have given. */
function instead(
  context: Place,
  why: string,
  baseUrl?: string,
  kept?: Omit<ProfileDocument, 'from'>,
): ProfileDocument {
  if (kept) {
    context.note(`${why} This goes by the description kept from ${kept.source}.`)
    return {...kept, source: `${kept.source}, as it was kept`, from: 'kept'}
  }
  context.note(`${why} This goes by the description built into drv.`)
  return builtIn(baseUrl)
}

/** A document as a service gave it, and the tag to ask for a newer one with. */
export interface CachedDocument extends DocumentPlace {
  readonly text: string
}

/** The path at which the document of the service at an address is cached; `undefined` where there is no place for any. */
export function documentPath(
  {environment}: Pick<Context, 'environment'>,
  baseUrl: string,
): string | undefined {
  const caches = cacheDirectory(environment, systemHome, process.platform)
  return caches && join(caches, 'descriptions', `${nameFromKey(baseUrl, 32)}.json`)
}

/** The document that was cached at a path; it counts only where no other user can have written it. */
export function documentCache(file: string | undefined): StateFile<CachedDocument> {
  return stateFile({file, ...jsonFormat(isCachedDocument), isPrivate: true})
}

function isCachedDocument(value: unknown): value is CachedDocument {
  if (!isObject(value)) return false
  const {url, etag, text} = value
  return typeof url === 'string' && typeof text === 'string' && (etag === undefined || isTag(etag))
}

/** Whether it can be sent in a header. */
function isTag(etag: unknown): boolean {
  return typeof etag === 'string' && /^[\x21-\x7e\x80-\xff ]+$/.test(etag)
}
