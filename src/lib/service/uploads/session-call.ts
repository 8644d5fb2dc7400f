import {type Operation, operation, type OperationId} from '#lib/api/operations.js'
import type {Store} from '#lib/service/store/index.js'
import {findSession} from '#lib/service/store/upload-sessions.js'
import {userById} from '#lib/service/store/users.js'

/** The call that a resumable upload continues. */
interface SessionCall {
  readonly operation: Operation
  readonly params: Readonly<Record<string, unknown>>
  /** The login of the user. */
  readonly user?: string
  readonly app?: string
}

/** Returns the call of an upload session; `undefined` for an unknown session. */
export function sessionCall(store: Store, id: string, now: number): SessionCall | undefined {
  const session = findSession<{
    readonly operationId: OperationId
    readonly inputs: {readonly params: Readonly<Record<string, unknown>>}
    readonly clientId?: string
  }>(store, id, now)
  if (!session) return undefined
  const {request, userId} = session
  return {
    operation: operation(request.operationId),
    params: request.inputs.params,
    user: userById(store, userId)?.login,
    app: request.clientId,
  }
}
