import {scopes} from '#lib/api/description/scopes.js'
import {operation, type OperationId} from '#lib/api/operations.js'
import {type Answer, type Content, isContent} from '#lib/service/call.js'
import {readInputs} from '#lib/service/http/parameters.js'
import {type OperationContext, perform} from '#lib/service/http/perform.js'
import type {SignedIn} from '#lib/service/oauth/pages/settings.js'

/** A request of a person for a page about files. */
export interface Visitor extends SignedIn {
  readonly context: OperationContext
}

/** The parameters of an operation as text, as in a URL. */
type TextParameters = Readonly<Record<string, string>>

/**
 * Runs an operation that only reads as the signed-in account, and returns the record. Throws
 * `FileServiceError` as the operation does.
 */
export async function runRead<T>(
  visitor: Visitor,
  id: OperationId,
  parameters: TextParameters,
): Promise<T> {
  return (await run(visitor, id, parameters)) as T
}

/** Like `runRead`, for the content of a file. */
export async function readFileContent(
  visitor: Visitor,
  id: 'files.get' | 'files.export',
  parameters: TextParameters,
): Promise<Content> {
  const answer = await run(visitor, id, {...parameters, alt: 'media'})
  if (!isContent(answer)) throw new Error(`${id} returned no content.`)
  return answer
}

/** The browser acts for the account itself, so it may use all files, as a token with full access may. */
function run(
  {context, user, now, request}: Visitor,
  id: OperationId,
  parameters: TextParameters,
): Promise<Answer> {
  const target = operation(id)
  const inDrives = 'supportsAllDrives' in target.parameters && {supportsAllDrives: 'true'}
  const query = new URLSearchParams({...inDrives, ...parameters})
  return perform(context, {
    ...readInputs(target, 'plain', parameters, query),
    operation: target,
    user,
    tokenId: 0,
    scopes: new Set(scopes('drive')),
    body: {},
    method: 'GET',
    headers: {},
    origin: request.url.origin,
    now,
  })
}
