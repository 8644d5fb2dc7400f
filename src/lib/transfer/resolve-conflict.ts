/** Choices for content when a file with the same name and different content already exists. */
export const IF_EXISTS = ['replace', 'skip', 'fail', 'rename'] as const

export type IfExists = (typeof IF_EXISTS)[number]

interface Thing {
  readonly kind: 'file' | 'folder' | 'other'
  readonly id?: string
}

/** A name for an item, and the items that already have it. */
interface Contested<T extends Thing, N> {
  readonly title: string
  /** The item that gets the name (default: a new file). */
  readonly incoming?: Thing
  /** The items that have the name; empty if the same command replaces them. */
  readonly existing: readonly T[]
  /** Whether another item of the same command gets the name. */
  readonly claimed?: boolean
  /** The next free name, such as `report (1).pdf`; called only for `rename`. */
  readonly freeName: () => N
}

/** Why nothing is written. */
export type Conflict =
  /** Another item of the same command gets the name. */
  | 'claimed'
  /** The name exists, and the choice is `fail`. */
  | 'exists'
  /** Several items have the name, so it is unclear which one to replace. */
  | 'several'
  /** The item would replace itself. */
  | 'itself'
  /** One of the two is a folder. */
  | 'folder'

type Resolution<T, N> =
  | {readonly title: string; readonly replaces?: T}
  | {readonly title: N; readonly replaces?: undefined}
  | {readonly kept: T}
  | {readonly conflict: Conflict}

/**
 * Resolves a conflict by `--if-exists`, for every command with that flag: the name for the incoming item
 * and the item it replaces, the item that is kept, or why neither is possible.
 */
export function resolveConflict<T extends Thing, N>(
  choice: IfExists,
  {title, incoming, existing, claimed = false, freeName}: Contested<T, N>,
): Resolution<T, N> {
  const [first, second] = existing
  if (!first && !claimed) return {title}
  if (choice === 'rename') return {title: freeName()}
  if (choice === 'skip' && first) return {kept: first}
  if (!first || claimed) return {conflict: 'claimed'}
  if (choice === 'fail') return {conflict: 'exists'}
  if (second) return {conflict: 'several'}
  if (first.id !== undefined && first.id === incoming?.id) return {conflict: 'itself'}
  if (first.kind === 'folder' || incoming?.kind === 'folder') return {conflict: 'folder'}
  return {title, replaces: first}
}
