import {description, descriptionAt} from '#lib/api/description/index.js'
import {checkDocument} from '#lib/api/document/check/check.js'
import {readDocument} from '#lib/api/document/read.js'
import type {RestDescription} from '#lib/api/types.js'
import type {Context} from '#lib/cli/context/context.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import {loadDocument, type LoadedDocument, readLoaded} from './load.js'
import {profileDocument} from './profile-document.js'

/** The name of the built-in description, in place of a file or a URL. */
const BUILT_IN = 'built-in'

interface Named {
  readonly document: RestDescription
  /** Its name in messages. */
  readonly source: string
}

export interface DocumentPair {
  readonly before: Named
  readonly after: Named
}

/**
 * The two documents to compare. One name: the built-in description and the named one. No name: the
 * built-in one and that of the profile's service. Throws `UsageError` if both are standard input or one
 * is not a description, and `CommandError` if the service publishes none.
 */
export async function loadPair(
  context: Context,
  first: string | undefined,
  second: string | undefined,
): Promise<DocumentPair> {
  if (first === '-' && second === '-') {
    throw new UsageError('Only one of the descriptions can come from standard input.')
  }
  const isOne = first !== undefined && second === undefined && first !== BUILT_IN
  const [old = BUILT_IN, now] = isOne ? [BUILT_IN, first] : [first, second]
  const before = await named(context, old)
  const after = now === undefined ? await ofService(context) : await named(context, now)
  return {before: before ?? builtIn(after), after: after ?? builtIn(before)}
}

/** `undefined` for the built-in description, which takes its address from the other one. */
async function named(context: Context, name: string): Promise<Named | undefined> {
  if (name === BUILT_IN) return undefined
  const loaded = await loadDocument(context, name)
  return {document: comparable(loaded), source: loaded.source}
}

/** Throws `UsageError` if the document has a JSON value of the wrong type. */
function comparable(loaded: LoadedDocument): RestDescription {
  const document = readLoaded(loaded)
  const wrong = checkDocument(loaded.json).find(({rule}) => rule === 'type')
  if (!wrong) return document
  throw new UsageError(
    `Cannot compare ${loaded.source}: invalid value at ${wrong.place}. ${wrong.text}`,
    'Run `drv api validate` to list its problems.',
  )
}

function builtIn(other: Named | undefined): Named {
  const served = other ? descriptionAt(other.document.rootUrl) : description
  return {document: readDocument(served), source: 'the built-in description'}
}

async function ofService(context: Context): Promise<Named> {
  const {from, ...loaded} = await profileDocument(context)
  if (from !== 'built-in') return {document: comparable(loaded), source: loaded.source}
  throw new CommandError(
    'unavailable',
    "The profile's service publishes no description to compare with.",
    'Pass a file or a URL, as in `drv api diff built-in description.json`.',
  )
}
