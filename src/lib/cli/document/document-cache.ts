import {join} from 'node:path'
import type {Context} from '#lib/cli/context/context.js'
import type {DocumentPlace} from '#lib/client/discovery.js'
import {cacheDirectory, systemHome} from '#lib/config/paths.js'
import {jsonFormat, nameFromKey, type StateFile, stateFile} from '#lib/platform/state-file.js'
import {isObject} from '#lib/platform/values.js'

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
