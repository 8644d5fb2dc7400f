import {ResolveError} from '../../transfer/remote/resolveerror.js'
import {CommandError} from '../command/errors.js'
import {candidateLine} from './choose.js'

const EXITS = {ambiguous: 'conflict', missing: 'notFound', wrongKind: 'failed'} as const

/** Does something that follows places; gives its errors their exit codes. */
export async function withPlaces<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ResolveError)) throw error
    const {kind, message, hint, candidates} = error
    throw new CommandError(EXITS[kind], message, hint, candidates.map(candidateLine))
  }
}
