import type {RestDescription} from '#lib/api/types.js'
import {refusalOf, ServiceError} from './errors.js'
import {readJsonText} from './read-response.js'
import type {Sender} from './request.js'

/** Fetches description documents, which are public (reference: description-format.md, section 7). */

/** The text at `url`, which must have the sender's origin. Throws the errors of requests. */
export async function fetchDocument(sender: Sender, url: string): Promise<string> {
  return (await sender.retry({repeat: 'safe'}, () => ask(sender, url))).text ?? ''
}

/** The URL of a document and its ETag. */
export interface DocumentPlace {
  readonly url: string
  readonly etag?: string
}

/** A document that was found; `text` is missing if the cached one is unchanged. */
export interface FoundDocument extends DocumentPlace {
  readonly text?: string
}

/** Maximum number of attempts: another description can replace a missing one, so do not wait long. */
const ATTEMPTS = 3

/** The URLs at which a service may publish the document of its API, the most likely first. */
export function documentAddresses(
  baseUrl: string,
  {name, version}: Pick<RestDescription, 'name' | 'version'>,
): readonly string[] {
  const [api, number] = [encodeURIComponent(name), encodeURIComponent(version)]
  return [
    `${baseUrl}/discovery/v1/apis/${api}/${number}/rest`,
    `${baseUrl}/$discovery/rest?version=${number}`,
  ]
}

/** The first document found, else `undefined`. A document at the URL of `kept` is sent only if it has changed. */
export async function findDocument(
  sender: Sender,
  addresses: readonly string[],
  kept?: DocumentPlace,
): Promise<FoundDocument | undefined> {
  for (const url of addresses) {
    const tag = kept?.url === url ? kept.etag : undefined
    const found = await sender
      .retry({repeat: 'safe', attempts: ATTEMPTS}, () => ask(sender, url, tag))
      .catch((error: unknown) => {
        if (hasNone(error)) return undefined
        throw error
      })
    if (found) return found
  }
  return undefined
}

async function ask(sender: Sender, url: string, tag?: string): Promise<FoundDocument> {
  const asked = tag !== undefined && {headers: {'if-none-match': tag}, statuses: [304]}
  const response = await sender.send({method: 'GET', url, ...asked})
  const {etag} = response.headers
  const text = await readJsonText(response, sender.reading(url))
  return response.status === 304 ? {url, etag: tag} : {url, etag, text}
}

/** Whether an error means that there is no public document. A rate limit does not mean that. */
function hasNone(error: unknown): boolean {
  const isRate = /rate$/.test(refusalOf(error) ?? '')
  return error instanceof ServiceError && [401, 403, 404, 405].includes(error.status) && !isRate
}
