import {join} from 'node:path'
import {description, descriptionAt} from '#lib/api/description/index.js'
import type {RestDescription} from '#lib/api/types.js'
import type {Context} from '#lib/cli/context/context.js'
import {errorSentence} from '#lib/cli/explain/explain.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {documentAddresses, type DocumentPlace, findDocument} from '#lib/client/discovery.js'
import {NetworkError, ProtocolError, ProxyError, ServiceError} from '#lib/client/errors.js'
import {cacheDirectory, systemHome} from '#lib/config/paths.js'
import {DataError, SetupError} from '#lib/platform/setup-error.js'
import {jsonStateFormat, nameFromKey, type StateFile, stateFile} from '#lib/platform/state-file.js'
import {isObject} from '#lib/platform/values.js'
import {type LoadedDocument, loadedFrom, readLoaded} from './load.js'

/** The description that a command uses, and where it came from. */
export interface ProfileDocument extends LoadedDocument {
  readonly document: RestDescription
  /** Fetched from the service now, cached from it earlier, or built into drv. */
  readonly from: 'service' | 'kept' | 'built-in'
}

/** The parts of the context that this file uses. */
export type DocumentContext = Pick<
  Context,
  'settings' | 'addresses' | 'plainSender' | 'environment' | 'signal' | 'note'
>

/** Milliseconds to wait for a silent service, since another document can take its place. */
const PATIENCE = 10_000

/** Errors that mean the service gave no usable description. */
const FAILURES = [NetworkError, ProxyError, ServiceError, ProtocolError, UsageError] as const

/** The built-in description, with the addresses of a service if given. */
export function builtIn(baseUrl?: string): ProfileDocument {
  const document = baseUrl === undefined ? description : descriptionAt(baseUrl)
  return {document, json: document, from: 'built-in', source: 'the description built into drv'}
}

/**
 * The description of the profile's service. Sends no token and needs no sign-in. The document is cached
 * and fetched again only if it changed. If the service gives none, returns the cached one, else the
 * built-in one, and prints a notice with the reason. Throws `SetupError` for settings that name no
 * service.
 */
export async function profileDocument(context: DocumentContext): Promise<ProfileDocument> {
  const {embedded} = await context.settings()
  if (!embedded) {
    const {baseUrl} = await context.addresses()
    return documentAt(context, baseUrl, documentPath(context, baseUrl))
  }
  try {
    const {baseUrl} = await context.addresses()
    // The local service has a new address each time and is always available, so caching is useless.
    return await documentAt(context, baseUrl, undefined)
  } catch (error) {
    if (!(error instanceof DataError || error instanceof SetupError)) throw error
    return instead(context, errorSentence(error))
  }
}

async function documentAt(
  context: DocumentContext,
  baseUrl: string,
  file: string | undefined,
): Promise<ProfileDocument> {
  const cache = documentCache(file)
  const kept = await readable(cache.read())
  const failed = (why: string) => instead(context, why, baseUrl, kept?.found)
  try {
    const sender = await context.plainSender(baseUrl, PATIENCE)
    const found = await findDocument(sender, documentAddresses(baseUrl, description), kept)
    if (!found) return failed(`${baseUrl} does not publish a description of itself.`)
    const {url, etag, text} = found
    // Only a cached document can be reported as unchanged.
    if (text === undefined) return {...kept!.found, from: 'service'}
    const read = await documentIn(text, url)
    await cache.tryWrite({url, etag, text})
    return {...read, from: 'service'}
  } catch (error) {
    if (context.signal.aborted || !FAILURES.some(kind => error instanceof kind)) throw error
    return failed(errorSentence(error))
  }
}

async function documentIn(text: string, source: string) {
  const loaded = await loadedFrom(text, source)
  return {...loaded, document: readLoaded(loaded)}
}

/** A cached document and its content; `undefined` if it can no longer be read. */
async function readable(kept: CachedDocument | undefined) {
  if (!kept) return undefined
  try {
    return {...kept, found: await documentIn(kept.text, kept.url)}
  } catch {
    return undefined
  }
}

/** The replacement for a description that the service did not give; prints a notice. */
function instead(
  context: DocumentContext,
  why: string,
  baseUrl?: string,
  kept?: Omit<ProfileDocument, 'from'>,
): ProfileDocument {
  if (kept) {
    context.note(`${why} Using the cached description from ${kept.source}.`)
    return {...kept, source: `${kept.source} (cached)`, from: 'kept'}
  }
  context.note(`${why} Using the description built into drv.`)
  return builtIn(baseUrl)
}

/** A document as the service sent it, and the ETag to ask for a newer one with. */
export interface CachedDocument extends DocumentPlace {
  readonly text: string
}

/** The cache file for the document of a service; `undefined` on a machine without a cache directory. */
export function documentPath(
  {environment}: Pick<Context, 'environment'>,
  baseUrl: string,
): string | undefined {
  const caches = cacheDirectory(environment, systemHome, process.platform)
  return caches && join(caches, 'descriptions', `${nameFromKey(baseUrl, 32)}.json`)
}

/** The cached document at a path. It counts only if no other user can have written it. */
export function documentCache(file: string | undefined): StateFile<CachedDocument> {
  return stateFile({file, ...jsonStateFormat(isCachedDocument), isPrivate: true})
}

function isCachedDocument(value: unknown): value is CachedDocument {
  if (!isObject(value)) return false
  const {url, etag, text} = value
  return typeof url === 'string' && typeof text === 'string' && (etag === undefined || isTag(etag))
}

/** Whether a value can be sent as an ETag in a header. */
function isTag(etag: unknown): boolean {
  return typeof etag === 'string' && /^[\x21-\x7e\x80-\xff ]+$/.test(etag)
}
