import type {RestDescription} from '#lib/api/types.js'
import {refusalOf, ServiceError} from './errors.js'
import {readJsonText, type Sender} from './request.js'

/** Description documents, which anybody may read (reference: description-format.md, section 7). */

/** The text at `url`, which is at the sender's own origin; fails as every request does. */
export async function fetchDocument(sender: Sender, url: string): Promise<string> {
  return (await sender.retry({repeat: 'safe'}, () => ask(sender, url))).text ?? ''
}

/** Where a document was found, and the service's tag for what was found there. */
export interface DocumentPlace {
  readonly url: string
  readonly etag?: string
}

/** A document as it was found; without a text it is what the asker has already. */
export interface FoundDocument extends DocumentPlace {
  readonly text?: string
}

/** Whoever describes something does not wait long for a service that fails. */
const ATTEMPTS = 3

/** The addresses at which a service has the document of its API, the likelier one first. */
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

/** The first document found, `undefined` without one; at the address of `kept` only if it has changed since. */
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

/** Whether there is no document, or none for everybody; a limit on requests says nothing of that. */
function hasNone(error: unknown): boolean {
  const isRate = /rate$/.test(refusalOf(error) ?? '')
  return error instanceof ServiceError && [401, 403, 404, 405].includes(error.status) && !isRate
}
