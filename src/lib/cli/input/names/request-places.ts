import {CommandError} from '#lib/cli/terminal/errors.js'
import {ResolveError} from '#lib/transfer/remote/resolve-error.js'
import {candidateLine} from './choose-candidate.js'

const EXITS = {ambiguous: 'conflict', missing: 'notFound', wrongKind: 'failed'} as const

/** Does something that follows places; gives its errors their exit codes. */
export async function withPlaces<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw placeError(error)
  }
}

/** The error of a place with its exit code; any other as it is. */
export function placeError(error: unknown): unknown {
  if (!(error instanceof ResolveError)) return error
  const {kind, message, hint, candidates} = error
  return new CommandError(EXITS[kind], message, hint, candidates.map(candidateLine))
}
