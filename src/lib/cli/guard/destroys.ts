import {
  isMutating,
  isSafeMethod,
  knownOperation,
  type Operation,
  operation,
  type OperationId,
} from '#lib/api/operations.js'
import type {CallInput} from '#lib/client/client.js'

/** What is lost for good. */
export type Loss =
  | 'files'
  | 'trash'
  | 'drives'
  | 'revisions'
  /** The only folder that a file is in. */
  | 'places'
  /** One's own access to a file. */
  | 'access'
  /** That one owns a file. */
  | 'ownership'
  /** Nobody knows: only a description tells of the operation. */
  | 'unknown'

interface Destruction {
  readonly loss: Loss
  /** What the request itself tells: whether it destroys; without it that is known only after a look. */
  readonly does?: (input: CallInput) => boolean
}

const always = () => true

/** The query says so, or the role in the body, without which the service does not do it. */
const handsOver = ({params, body}: CallInput) =>
  params.transferOwnership === 'true' || body?.role === 'owner'

/** Which operations destroy something that no other operation brings back. */
const destructions: Partial<Readonly<Record<OperationId, Destruction>>> = {
  'files.delete': {loss: 'files', does: always},
  'files.emptyTrash': {loss: 'trash', does: always},
  'drives.delete': {loss: 'drives', does: always},
  'revisions.delete': {loss: 'revisions', does: always},
  'children.delete': {loss: 'places'},
  'parents.delete': {loss: 'places'},
  'permissions.delete': {loss: 'access'},
  'permissions.insert': {loss: 'ownership', does: handsOver},
  'permissions.patch': {loss: 'ownership', does: handsOver},
  'permissions.update': {loss: 'ownership', does: handsOver},
}

/** What an operation may destroy; `undefined` for one that never does. */
export function lossOf(named: OperationId | Operation): Loss | undefined {
  return destructionOf(named)?.loss
}

/** Whether a request destroys something; `undefined` where only a look can tell. */
export function destroys(named: OperationId | Operation, input: CallInput): boolean | undefined {
  const known = destructionOf(named)
  if (!known) return false
  return known.does?.(input)
}

/** Of what drv knows from a description alone, all that does not only read may destroy something. */
function destructionOf(named: OperationId | Operation): Destruction | undefined {
  const described = typeof named === 'string' ? operation(named) : named
  const known = knownOperation(described)
  if (known) return destructions[known.operationId]
  return isSafeMethod(described.httpMethod) ? undefined : {loss: 'unknown', does: always}
}

/** What a command does to files, access and settings. */
export type Effect =
  /** It changes nothing. */
  | 'reads'
  /** It changes something, which another command can reverse. */
  | 'changes'
  /** It may delete something for good, which depends on the command line. */
  | 'may destroy'
  /** It deletes something for good. */
  | 'destroys'

/** The effect of an operation. */
export function effectOf(described: Operation): Effect {
  if (!isMutating(described)) return 'reads'
  if (lossOf(described) === undefined) return 'changes'
  const isAlways = destroys(described, {params: {}}) === true
  return isAlways ? 'destroys' : 'may destroy'
}
