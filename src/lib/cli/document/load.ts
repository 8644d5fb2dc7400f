import {DocumentError, readDocument} from '#lib/api/document/read.js'
import type {RestDescription} from '#lib/api/types.js'
import type {Context} from '#lib/cli/context/context.js'
import {unreadableFileError} from '#lib/cli/explain/unreadable.js'
import {jsonProblem, refuseDeepValues, refuseManyValues} from '#lib/cli/input/json-input.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {readAll, readLocalText} from '#lib/cli/terminal/io.js'
import {fetchDocument} from '#lib/client/discovery.js'

/** A document as given; `json` is its parsed text, not yet checked. */
export interface LoadedDocument {
  readonly json: unknown
  /** The source as it appears in messages: a path, a URL, or `standard input`. */
  readonly source: string
}

/**
 * Loads the document at a path or an http(s) URL (without a token or redirects), or from standard input
 * for `-`. Throws `UsageError` if it cannot be read or is not JSON, and the errors of requests.
 */
export async function loadDocument(
  context: Pick<Context, 'io' | 'waits' | 'plainSender'>,
  given: string,
): Promise<LoadedDocument> {
  const source = given === '-' ? 'standard input' : given
  return loadedFrom(await textAt(context, given), source)
}

/** Parses a document. Throws `UsageError` for invalid JSON, too many values, or too deep nesting. */
export async function loadedFrom(text: string, source: string): Promise<LoadedDocument> {
  refuseManyValues(text, source)
  const json = await jsonOf(text, source)
  refuseDeepValues(json, source)
  return {json, source}
}

/** Reads the description in a document. Throws `UsageError` if it is not one. */
export function readLoaded({json, source}: LoadedDocument): RestDescription {
  try {
    return readDocument(json)
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error
    throw new UsageError(
      `${source} is not a valid API description: ${error.message}`,
      'Run `drv api validate` to list its problems.',
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
    throw unreadableFileError(given, error)
  })
}

/** Parses JSON; `source` names its origin in errors. Throws `UsageError`. */
async function jsonOf(given: string, source: string): Promise<unknown> {
  // Windows editors start a file with a byte order mark, which JSON does not allow.
  const text = given.replace(/^\uFEFF/, '')
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError(`${source} is not valid JSON: ${await jsonProblem(text)}.`)
  }
}
