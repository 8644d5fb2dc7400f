import type {LeftOut, LocalEntry, LocalFile, RemoteEntry, RemoteFile} from './entries.js'

/** What a run has to do, thing by thing. `path` is below the place that the person named, with `/`. */

interface Common {
  readonly path: string
}

/** What is there already, is left alone, or cannot be done: nothing is moved. */
export type Note =
  | PairStep<'same'>
  | (Common & {readonly action: 'skip'; readonly reason: string})
  | (Common & {readonly action: 'fail'; readonly reason: string})

/** A folder to make; what is in it comes after it. */
export interface FolderStep extends Common {
  readonly action: 'folder'
  /** What it is called where it is made. */
  readonly name: string
  /** Path of the folder it is in; '' for the top. */
  readonly parent: string
}

/** Content that is to go up. */
export interface UploadStep extends Common {
  readonly action: 'upload'
  /** The title it gets. */
  readonly name: string
  readonly parent: string
  readonly local: LocalFile
  /** It becomes an editor document. */
  readonly isConverted?: boolean
}

/** Both sides have a file of that name. */
interface PairStep<A extends string> extends Common {
  readonly action: A
  readonly local: LocalFile
  readonly remote: RemoteFile
}

/** Where content goes that must not replace what is there. */
export interface Beside extends Common {
  readonly name: string
  readonly parent: string
  /** Files that an earlier run may have put there for the same reason. */
  readonly earlier: readonly (LocalFile | RemoteFile)[]
}

/** One is as large as the other, so their sums decide. */
export type CheckStep = PairStep<'check'> & {
  readonly beside?: Beside
  /** Other files of the same name: what has the same content is the one that is meant. */
  readonly candidates?: readonly RemoteFile[]
}
/** They differ. */
export type ReplaceStep = PairStep<'replace'> & {readonly beside?: Beside}

/** What both directions know. */
type Step = Note | FolderStep | CheckStep | ReplaceStep
export type PushStep =
  | Step
  | UploadStep
  /** What the service puts into its trash, for this machine does not have it. */
  | (Common & {readonly action: 'trash'; readonly entry: RemoteEntry})
export type PullStep =
  | Step
  | (Common & {readonly action: 'download'; readonly remote: RemoteFile})
  /** What the service does not have is put aside. */
  | (Common & {readonly action: 'remove'; readonly entry: LocalEntry})

/** A path below another. */
export function pathBelow(parent: string, name: string): string {
  return parent === '' ? name : `${parent}/${name}`
}

/** The steps of some actions, in their order. */
export function only<S extends {readonly action: string}, A extends S['action']>(
  steps: readonly S[],
  ...actions: readonly A[]
): Array<Extract<S, {readonly action: A}>> {
  return steps.filter((step): step is Extract<S, {readonly action: A}> =>
    (actions as readonly string[]).includes(step.action),
  )
}

export interface ItemProblem {
  readonly path: string
  /** What went wrong, or why it was left alone. */
  readonly reason: string
}

/** What became of the steps. Counts are of files but for `folders`. */
export interface Tally {
  readonly folders: number
  /** New on the other side. */
  readonly created: number
  /** Other content than before. */
  readonly replaced: number
  /** The same already. */
  readonly unchanged: number
  /** Put into the trash of the service, or aside on this machine. */
  readonly removed: number
  /** Bytes of content that were moved. */
  readonly bytes: number
  /** By rules; what is in folders that were left out does not count. */
  readonly leftOut: LeftOut
  readonly skipped: readonly ItemProblem[]
  readonly failed: readonly ItemProblem[]
}
