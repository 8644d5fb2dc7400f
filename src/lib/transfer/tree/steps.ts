import type {Excluded, LocalEntry, LocalFile, RemoteEntry, RemoteFile} from './entries.js'

/** The steps of a push or pull. `path` is relative to the target, with `/`. */

interface Common {
  readonly path: string
}

/** A step without a transfer: unchanged, skipped, or impossible. */
export type NoteStep =
  | PairStep<'same'>
  | (Common & {readonly action: 'skip'; readonly reason: string})
  | (Common & {readonly action: 'fail'; readonly reason: string})

/** Creates a folder; steps for its contents come later. */
export interface FolderStep extends Common {
  readonly action: 'folder'
  /** The name of the new folder. */
  readonly name: string
  /** Path of its parent; '' for the top. */
  readonly parent: string
  /** Whether it is created only if something is downloaded into it. */
  readonly isOptional?: true
}

/** Uploads a file. */
export interface UploadStep extends Common {
  readonly action: 'upload'
  /** The title of the new file. */
  readonly name: string
  readonly parent: string
  readonly local: LocalFile
  /** Whether it is converted to an editor document. */
  readonly isConverted?: boolean
}

/** A step for a file that exists on both sides. */
interface PairStep<A extends string> extends Common {
  readonly action: A
  readonly local: LocalFile
  readonly remote: RemoteFile
  /** Whether the local content is an earlier one of the service, so that nothing is lost by replacing it. */
  readonly isSafe?: boolean
}

/** Another place for content that must not replace an existing file. */
export interface Beside extends Common {
  readonly name: string
  readonly parent: string
  /** Files that an earlier run may have written for the same reason. */
  readonly earlier: readonly (LocalFile | RemoteFile)[]
}

/** Sizes are equal, so the MD5 decides. */
export type CheckStep = PairStep<'check'> & {
  readonly beside?: Beside
  /** Other files with the same name. One of them may have the same content. */
  readonly candidates?: readonly RemoteFile[]
}
/** The contents differ. */
export type ReplaceStep = PairStep<'replace'> & {
  readonly beside?: Beside
  /** The ETag that the remote file must still have. */
  readonly ifMatch?: string
}

/** Renames a remote entry or moves it to another folder, because that happened here. */
export interface MoveStep extends Common {
  readonly action: 'move'
  /** The entry before. */
  readonly entry: RemoteEntry
  /** Its new title, if that changes. */
  readonly title?: string
  /** The path of its new folder and the IDs of those in which it is, if they change. */
  readonly to?: {readonly parent: string; readonly from: readonly string[]}
}

/** Steps in both directions. */
type Step = NoteStep | FolderStep | CheckStep | ReplaceStep
export type PushStep =
  | Step
  | UploadStep
  | MoveStep
  /** Moves a remote entry that does not exist locally to the trash. */
  | (Common & {readonly action: 'trash'; readonly entry: RemoteEntry})
export type PullStep =
  | Step
  | (Common & {
      readonly action: 'download'
      readonly remote: RemoteFile
      /** The path of the local file that has other content and is kept. */
      readonly beside?: string
    })
  /** Moves a local entry that does not exist remotely aside. */
  | (Common & {readonly action: 'remove'; readonly entry: LocalEntry})

/** The path of a name below `parent`. */
export function joinPath(parent: string, name: string): string {
  return parent === '' ? name : `${parent}/${name}`
}

/** The path of the folder that contains an item; '' at the top. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

/** The steps with one of some actions, in order. */
export function stepsOfAction<S extends {readonly action: string}, A extends S['action']>(
  steps: readonly S[],
  ...actions: readonly A[]
): Array<Extract<S, {readonly action: A}>> {
  return steps.filter((step): step is Extract<S, {readonly action: A}> =>
    (actions as readonly string[]).includes(step.action),
  )
}

export interface ItemProblem {
  readonly path: string
  /** Why it failed or was skipped. */
  readonly reason: string
}

/** The results of a run. All counts except `folders` are of files. */
export interface Tally {
  readonly folders: number
  /** Number of files new on the other side. */
  readonly created: number
  /** Number of files with new content. */
  readonly replaced: number
  /** Number of files that were already equal. */
  readonly unchanged: number
  /** Number of files trashed in the service, or moved aside on this machine. */
  readonly removed: number
  /** Bytes of content transferred. */
  readonly bytes: number
  /** Number of entries excluded by rules, without the contents of excluded folders. */
  readonly leftOut: Excluded
  readonly skipped: readonly ItemProblem[]
  readonly failed: readonly ItemProblem[]
}
