import {DocumentError, readDocument} from '#lib/api/document/read.js'
import type {RestDescription} from '#lib/api/types.js'
import type {Context} from '#lib/cli/context/context.js'
import {unreadable} from '#lib/cli/explain/unreadable.js'
import {
  jsonErrorAt,
  positionIn,
  refuseDeepValues,
  refuseManyValues,
} from '#lib/cli/input/json-input.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {readAll, readLocalText} from '#lib/cli/terminal/io.js'
import {fetchDocument} from '#lib/client/discovery.js'

/** A document as somebody gave it: `json` is what its text says, unread. */
export interface LoadedDocument {
  readonly json: unknown
  /** How a sentence calls it: a path, an address, or `standard input`. */
  readonly source: string
}

/**
 * The document at a path, at an http(s) address (without a token, and without redirects), or on
 * standard input for `-`. Throws `UsageError` for what cannot be read or is no JSON, and what a
 * request fails with.
 */
export async function loadDocument(
  context: Pick<Context, 'io' | 'waits' | 'plainSender'>,
  given: string,
): Promise<LoadedDocument> {
  const source = given === '-' ? 'standard input' : given
  return loadedFrom(await textAt(context, given), source)
}

/** A document in a text. Throws `UsageError` for what is no JSON, has too many values, or is nested too deep. */
export async function loadedFrom(text: string, source: string): Promise<LoadedDocument> {
  refuseManyValues(text, source)
  const json = await jsonOf(text, source)
  refuseDeepValues(json, `${source} is no description: it`)
  return {json, source}
}

/** What a loaded document describes. Throws `UsageError` for what is no description. */
export function readLoaded({json, source}: LoadedDocument): RestDescription {
  try {
    return readDocument(json)
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error
    throw new UsageError(
      `${source} is no description of a service: ${error.message}`,
      'All that is wrong with it: `drv api validate`.',
    )
  }
}

async function textAt(
  context: Pick<Context, 'io' | 'waits' | 'plainSender'>,
  given: string,
): Promise<string> {
  if (given === '-') return readAll(context)
  if (/^https?:\/\//i.test(given)) return fetchDocument(await context.plainSender(given), given)
  return readLocalText(given, context).catch((error: unknown) => {
    throw unreadable(given, error)
  })
}

/** What a text of JSON says; `source` names where it came from. Throws `UsageError`. */
async function jsonOf(given: string, source: string): Promise<unknown> {
  // Editors on Windows begin a file with a mark that JSON does not know.
  const text = given.replace(/^\uFEFF/, '')
  try {
    return JSON.parse(text)
  } catch {
    const place = positionIn(text, await jsonErrorAt(text))
    throw new UsageError(`${source} is no valid JSON: look at ${place}.`)
  }
}
