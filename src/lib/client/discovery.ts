import type {RestDescription} from '#lib/api/types.js'
import {ServiceError} from './errors.js'
import {readJsonText, type Sender} from './request.js'
import {classifyFailure} from './retry/policy.js'

/** Description documents, which anybody may read (reference: description-format.md, section 7). */

/** The text at `url`, which is at the sender's own origin; fails as every request does. */
export async function fetchDocument(sender: Sender, url: string): Promise<string> {
  return sender.retry({repeat: 'safe'}, async () =>
    readJsonText(await sender.send({method: 'GET', url}), sender.reading(url)),
  )
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

/** What a service answers that has nothing there, or nothing for everybody. */
const NONE: ReadonlySet<number> = new Set([401, 403, 404, 405])

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

/**
 * The first document at some addresses, `undefined` where none of them has one; fails as every request
 * does. Where `kept` came from one of them, it asks there only for what has changed since.
 */
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

async function ask(sender: Sender, url: string, tag: string | undefined): Promise<FoundDocument> {
  const asked = tag !== undefined && {headers: {'if-none-match': tag}, statuses: [304]}
  const response = await sender.send({method: 'GET', url, ...asked})
  const {etag} = response.headers
  const text = await readJsonText(response, sender.reading(url))
  return response.status === 304 ? {url, etag: tag} : {url, etag, text}
}

/** Whether an error says that there is no document; a limit on requests says nothing. */
function hasNone(error: unknown): boolean {
  return (
    error instanceof ServiceError &&
    NONE.has(error.status) &&
    classifyFailure(error).kind === 'final'
  )
}
