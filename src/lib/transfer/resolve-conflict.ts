/** What becomes of content where a file of its name and with other content is there already. */
export const IF_EXISTS = ['replace', 'skip', 'fail', 'rename'] as const

export type IfExists = (typeof IF_EXISTS)[number]

interface Thing {
  readonly kind: 'file' | 'folder' | 'other'
  readonly id?: string
}

/** A name that something is to get, and what stands in its way. */
interface Contested<T extends Thing, N> {
  readonly title: string
  /** What gets the name; a new file unless given. */
  readonly incoming?: Thing
  /** What has the name already; nothing where the same command is to replace it. */
  readonly existing: readonly T[]
  /** Something else of the same command gets the name. */
  readonly claimed?: boolean
  /** `report (1).pdf`, or with the next number that is free: called for `rename` alone. */
  readonly freeName: () => N
}

/** Why a name stays as it is, and nothing is put there. */
export type Conflict =
  /** Something else of the same command gets the name. */
  | 'claimed'
  /** The name exists, and the choice is to fail. */
  | 'exists'
  /** Several things have the name: which one to replace is open. */
  | 'several'
  /** It would replace itself. */
  | 'itself'
  /** One of the two is a folder. */
  | 'folder'

type Resolution<T, N> =
  | {readonly title: string; readonly replaces?: T}
  | {readonly title: N; readonly replaces?: undefined}
  | {readonly kept: T}
  | {readonly conflict: Conflict}

/**
 * What `--if-exists` makes of a name, for every command that has the flag: the name that the incoming
 * thing gets, and what it replaces; or what is kept instead of it; or why neither may be.
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
