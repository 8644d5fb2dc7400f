import type {OperationId} from '../../api/operations.js'
import type {HandlersOf} from '../call.js'

/** The behaviour of every operation; one that is missing does not compile. */
export const handlers = {} as HandlersOf<OperationId>
