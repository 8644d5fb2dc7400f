import type {ItemState} from './known.js'

/**
 * Checkpoints of followers: the page tokens, the changes after them that were handed over, and the known
 * states of items.
 */

/** A followed file or folder. */
export interface Root {
  readonly id: string
  readonly path: string
  readonly isFolder: boolean
  /** Its shared drive. */
  readonly driveId?: string
}

/** The position of a follower in a list of changes. */
export interface FollowPosition {
  readonly token: string
  /** The time of the latest change before it, in Unix ms by the service's clock. */
  readonly latest?: number
}

/** What a follower found at its first start. */
export interface Beginning {
  /** When it started, in Unix ms. */
  readonly since: number
  /** Earlier changes are left out, in Unix ms. */
  readonly from?: number
  readonly roots: readonly Root[]
}

/** A list of changes: that of a shared drive, or of the account. */
export type ChangeList = string | undefined

/** The lists of changes that contain those of the roots; that of the account without roots. */
export function listsOf({roots}: Pick<Beginning, 'roots'>): readonly ChangeList[] {
  return roots.length > 0 ? [...new Set(roots.map(({driveId}) => driveId))] : [undefined]
}

export interface FollowCheckpoint {
  /** `undefined` in a new checkpoint. */
  readonly beginning: Beginning | undefined
  /** Records the beginning with the position in each list. */
  begin(beginning: Beginning, positions: ReadonlyMap<ChangeList, FollowPosition>): void
  /** Records a state that was looked up. */
  learn(id: string, state: ItemState): void
  /** The progress in a list of changes. */
  of(list: ChangeList): ListProgress
  close(): Promise<void>
}

export interface ListProgress {
  /** `undefined` in a new checkpoint. */
  readonly position: FollowPosition | undefined
  /** Whether a change was handed over. */
  isDone(changeId: string): boolean
  /** Records that a change was handed over, with the state after it; without one if nothing is to be known. */
  handedOver(changeId: string, id: string, state: ItemState | undefined): void
  /** Records that all changes before a token were handed over; `later` are changes after it. */
  advance(position: FollowPosition, later: readonly string[]): Promise<void>
}

/** The content of a checkpoint. */
export interface CheckpointContent {
  beginning?: Beginning
  readonly lists: Map<ChangeList, ListContent>
}

export interface ListContent {
  position?: FollowPosition
  /** The IDs of changes after the position that were handed over. */
  readonly done: Set<string>
}

/** Records changes of the content. */
export interface CheckpointLog {
  append(record: object, isFlushed?: boolean): void
  flush(): void
  compact(): Promise<void>
  close(): Promise<void>
}

/** The checkpoint with some content, which it changes. */
export function checkpointOf(content: CheckpointContent, log: CheckpointLog): FollowCheckpoint {
  return {
    get beginning() {
      return content.beginning
    },
    begin(beginning, positions) {
      content.beginning = beginning
      log.append({beginning}, false)
      for (const [drive, position] of positions) {
        listIn(content, drive).position = position
        log.append({drive, position}, false)
      }
      log.flush()
    },
    learn: (id, state) => log.append({id, state}, false),
    of(drive) {
      const list = listIn(content, drive)
      return {
        get position() {
          return list.position
        },
        isDone: changeId => list.done.has(changeId),
        handedOver(changeId, id, state) {
          list.done.add(changeId)
          log.append({drive, done: changeId, id, ...(state && {state})})
        },
        async advance(position, later) {
          const isIdle = list.position?.token === position.token && list.done.size === 0
          list.position = position
          if (isIdle) return
          list.done.clear()
          for (const changeId of later) list.done.add(changeId)
          log.append({drive, position, ...(later.length > 0 && {later})})
          await log.compact()
        },
      }
    },
    close: () => log.close(),
  }
}

/** The content for a list of changes. */
export function listIn({lists}: CheckpointContent, drive: ChangeList): ListContent {
  const list = lists.get(drive) ?? {done: new Set()}
  lists.set(drive, list)
  return list
}

/** A checkpoint that only lasts as long as the command. */
export function memoryCheckpoint(): FollowCheckpoint {
  return checkpointOf(
    {lists: new Map()},
    {append() {}, flush() {}, async compact() {}, async close() {}},
  )
}
