import {
  isMutating,
  isSafeMethod,
  knownOperation,
  type Operation,
  operation,
  type OperationId,
} from '#lib/api/operations.js'
import type {CallInput} from '#lib/client/client.js'

/** The kind of thing that a request destroys permanently. */
export type ImpactKind =
  | 'files'
  | 'trash'
  | 'drives'
  | 'revisions'
  /** The only parent folder of a file. */
  | 'places'
  /** The user's own access to a file. */
  | 'access'
  /** The ownership of a file. */
  | 'ownership'
  /** Unknown, because drv has only a description of the operation. */
  | 'unknown'

interface Destruction {
  readonly kind: ImpactKind
  /** Whether a request destroys; omitted if that needs further requests. */
  readonly does?: (input: CallInput) => boolean
}

const always = () => true

/** Transfers ownership: by the query, or by the role in the body. */
const transfersOwnership = ({params, body}: CallInput) =>
  params.transferOwnership === 'true' || body?.role === 'owner'

/** The operations that destroy something irreversibly. */
const destructions: Partial<Readonly<Record<OperationId, Destruction>>> = {
  'files.delete': {kind: 'files', does: always},
  'files.emptyTrash': {kind: 'trash', does: always},
  'drives.delete': {kind: 'drives', does: always},
  'revisions.delete': {kind: 'revisions', does: always},
  'children.delete': {kind: 'places'},
  'parents.delete': {kind: 'places'},
  'permissions.delete': {kind: 'access'},
  'permissions.insert': {kind: 'ownership', does: transfersOwnership},
  'permissions.patch': {kind: 'ownership', does: transfersOwnership},
  'permissions.update': {kind: 'ownership', does: transfersOwnership},
}

/** What an operation can destroy; `undefined` if nothing. */
export function impactKindOf(named: OperationId | Operation): ImpactKind | undefined {
  return destructionOf(named)?.kind
}

/** Whether a request destroys something; `undefined` if that needs further requests. */
export function destroys(named: OperationId | Operation, input: CallInput): boolean | undefined {
  const known = destructionOf(named)
  if (!known) return false
  return known.does?.(input)
}

/** For operations known only from a description, every unsafe method can destroy something. */
function destructionOf(named: OperationId | Operation): Destruction | undefined {
  const described = typeof named === 'string' ? operation(named) : named
  const known = knownOperation(described)
  if (known) return destructions[known.operationId]
  return isSafeMethod(described.httpMethod) ? undefined : {kind: 'unknown', does: always}
}

/** What a command does to files, access and settings. */
export type Effect =
  /** It changes nothing. */
  | 'reads'
  /** It makes reversible changes. */
  | 'changes'
  /** It can delete something permanently, depending on the command line. */
  | 'may destroy'
  /** It deletes something permanently. */
  | 'destroys'

/** The effect of an operation. */
export function effectOf(described: Operation): Effect {
  if (!isMutating(described)) return 'reads'
  if (impactKindOf(described) === undefined) return 'changes'
  const isAlways = destroys(described, {params: {}}) === true
  return isAlways ? 'destroys' : 'may destroy'
}
