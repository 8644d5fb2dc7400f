import {nearest, suggestionSentence} from '#lib/platform/nearest.js'
import {entryKindText, type RemoteEntry} from '#lib/transfer/tree/entries.js'

/** One of several items that a path may mean. */
export interface ResolveCandidate {
  readonly id: string
  /** With an article: `a folder`. */
  readonly kind: string
  readonly path: string
  /** Size in bytes, for files. */
  readonly size?: number
  /** Modification time, or creation time of a shared drive: RFC 3339. */
  readonly date?: string
}

/** A path that cannot be resolved. `message` and `hint` are sentences. */
export class ResolveError extends Error {
  constructor(
    readonly kind: 'ambiguous' | 'missing' | 'wrongKind',
    message: string,
    readonly hint: string,
    /** The items that an ambiguous path may mean. */
    readonly candidates: readonly ResolveCandidate[] = [],
  ) {
    super(message)
    this.name = 'ResolveError'
  }
}

/** Chooses one of the candidates for a path; throws if not running in a terminal. */
export type Choose = (
  way: string,
  candidates: readonly ResolveCandidate[],
) => Promise<ResolveCandidate>

/** Never guesses: throws `ResolveError('ambiguous')`. */
export const refuseToChoose: Choose = async (way, candidates) => {
  throw new ResolveError(
    'ambiguous',
    `${way} is ambiguous: ${candidates.length} items have this name. Nothing was changed.`,
    'Use the ID of the item you mean, or rename the others.',
    candidates,
  )
}

/** The error for a missing item; it suggests the name in `others` that is nearest to `name`. */
export function missing(message: string, name: string, others: readonly string[]): ResolveError {
  const meant = nearest(name, others)
  return new ResolveError(
    'missing',
    `${message}.`,
    meant === undefined
      ? 'Check the path (names are case-sensitive), or use the ID.'
      : `${suggestionSentence(meant)} Names are case-sensitive.`,
  )
}

/** The error for an item that is not a folder. */
export function noFolder(entry: RemoteEntry, way: string): ResolveError {
  return new ResolveError(
    'wrongKind',
    `${way} is ${entryKindText(entry)}, not a folder.`,
    'Pass the path or ID of a folder.',
  )
}

/** `a file with the ID A, a folder with the ID B` */
export function listWithIds(entries: readonly RemoteEntry[]): string {
  return entries.map(entry => `${entryKindText(entry)} with the ID ${entry.id}`).join(', ')
}
