import {createHash} from 'node:crypto'
import {join} from 'node:path'
import {isObject} from '#lib/api/validate.js'
import type {DocumentPlace} from '#lib/client/discovery.js'
import {parseJson} from '#lib/platform/parse-json.js'
import {cacheDirectory, systemHome} from '#lib/config/paths.js'
import {readPrivateFile, writePrivateFile} from '#lib/platform/private-file.js'
import type {Context} from '#lib/cli/context/context.js'

/** A document as a service gave it, and the tag to ask for a newer one with. */
export interface KeptDocument extends DocumentPlace {
  readonly text: string
}

/** Texts as long as an answer may be, and what JSON adds to them. */
const LARGEST = 64 * 1024 * 1024

/** The file that keeps the document of the service at an address; `undefined` where there is no place for any. */
export function keptFile(
  {environment}: Pick<Context, 'environment'>,
  baseUrl: string,
): string | undefined {
  const caches = cacheDirectory(environment, systemHome, process.platform)
  const hash = createHash('sha256').update(baseUrl).digest('hex').slice(0, 32)
  return caches && join(caches, 'descriptions', `${hash}.json`)
}

/**
 * The document that `keep` wrote to a file; `undefined` for anything that it did not write, or that another
 * user can have written: the document is fetched again.
 */
export function readKept(file: string | undefined): KeptDocument | undefined {
  const content = file === undefined ? undefined : readPrivateFile(file, LARGEST)
  const value = content && parseJson(content.toString('utf8'))
  return isKept(value) ? value : undefined
}

/** Keeps a document. That it cannot be kept is no harm: it is fetched again. */
export async function keep(
  file: string | undefined,
  {url, etag, text}: KeptDocument,
): Promise<void> {
  if (file === undefined) return
  const content = `${JSON.stringify({url, etag, text})}\n`
  await writePrivateFile(file, content, {sync: true}).catch(() => undefined)
}

function isKept(value: unknown): value is KeptDocument {
  if (!isObject(value)) return false
  const {url, etag, text} = value
  return typeof url === 'string' && typeof text === 'string' && (etag === undefined || isTag(etag))
}

/** Whether it can be sent in a header. */
function isTag(etag: unknown): boolean {
  return typeof etag === 'string' && /^[\x21-\x7e\x80-\xff ]+$/.test(etag)
}
