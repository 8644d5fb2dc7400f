import {nearest} from '#lib/platform/nearest.js'
import {type RemoteEntry, wordFor} from '#lib/transfer/tree/entries.js'

/** One of several things that a place may mean. */
export interface Candidate {
  readonly id: string
  /** In words: `a folder`. */
  readonly kind: string
  readonly path: string
  /** Bytes, of what has any. */
  readonly size?: number
  /** When it last changed, or a shared drive was made: RFC 3339. */
  readonly date?: string
}

/** A place that cannot be worked with. `message` and `hint` are whole sentences. */
export class ResolveError extends Error {
  constructor(
    readonly kind: 'ambiguous' | 'missing' | 'wrongKind',
    message: string,
    readonly hint: string,
    /** All that an ambiguous place may mean. */
    readonly candidates: readonly Candidate[] = [],
  ) {
    super(message)
    this.name = 'ResolveError'
  }
}

/** Chooses what is meant by `way`; fails where nobody can be asked. */
export type Choose = (way: string, candidates: readonly Candidate[]) => Promise<Candidate>

/** Never guesses: throws `ResolveError('ambiguous')`. */
export const refuseToChoose: Choose = async (way, candidates) => {
  throw new ResolveError(
    'ambiguous',
    `${way} is the name of ${candidates.length} things, so nothing was done.`,
    'Name the one you mean by its ID, or give one of them another title.',
    candidates,
  )
}

/** Nothing is there; `others` are the names that are, of which the nearest to `name` is told. */
export function missing(message: string, name: string, others: readonly string[]): ResolveError {
  const meant = nearest(name, others)
  return new ResolveError(
    'missing',
    `${message}.`,
    meant === undefined
      ? 'Check the path; capitals count. What has no path of its own can be named by its ID.'
      : `Did you mean ${JSON.stringify(meant)}? Capitals count.`,
  )
}

/** A folder is needed, and this is none. */
export function noFolder(entry: RemoteEntry, way: string): ResolveError {
  return new ResolveError(
    'wrongKind',
    `${way} is ${wordFor(entry)}, not a folder.`,
    'Name a folder, by its path or its ID.',
  )
}

/** `a file with the ID A, a folder with the ID B` */
export function listWithIds(entries: readonly RemoteEntry[]): string {
  return entries.map(entry => `${wordFor(entry)} with the ID ${entry.id}`).join(', ')
}
