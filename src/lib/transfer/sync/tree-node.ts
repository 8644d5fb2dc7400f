import {isObject} from '#lib/platform/values.js'
import {isPart, partOf} from '#lib/transfer/target.js'
import type {RemoteEntry, RemoteFile} from '#lib/transfer/tree/entries.js'

/** The parent of a node that was removed from the remote tree, but not from the local one. */
export const GONE = ''

/** An item of a remembered tree: its remote state, and its local state. */
export interface TreeNode {
  /** The ID of the remote folder that contains it; `GONE` if it left the remote tree but still exists locally. */
  readonly parent: string
  /** Its last known remote state, as listed: a shortcut is not replaced by its target. */
  readonly remote: RemoteEntry
  /** Its local file or folder, if there is one. */
  readonly local?: LocalState
}

/** A local file or folder as it was after the last transfer, in either direction. */
export interface LocalState {
  /** The remote ID of its folder. Differs from the parent of the node until a remote move is carried out. */
  readonly parent: string
  readonly name: string
  /** The inode of a folder, by which it is recognized after it was renamed. */
  readonly inode?: number
  /** The content; missing for folders. */
  readonly file?: LocalContent
  /** Whether the item has been moved or renamed remotely since, and not yet here. */
  readonly isMoved?: boolean
}

/** The content of a local file. */
export interface LocalContent {
  /** Size in bytes. */
  readonly size: number
  /** Modification time, in milliseconds since 1970, rounded down. */
  readonly modified: number
  readonly inode: number
  /** In hexadecimal, if known. */
  readonly md5?: string
  /**
   * The version (`versionOf`) of the remote content at the last transfer of this file. If the remote file has
   * another one, it has changed since.
   */
  readonly version: string
  /** The MD5 of content that a push is sending: if the push is interrupted, the remote file may have it. */
  readonly sent?: string
}

/** Whether a local item has to be moved to the place of its remote one. */
export function isToMove(node: TreeNode | undefined): boolean {
  return node?.local?.isMoved === true && node.parent !== GONE
}

/**
 * The name of an item whose local place another one has taken before its own removal or move was pushed. No item has
 * that name, because partial files are ignored; so it is found missing there until the push has succeeded.
 */
export function asideName(name: string, id: string): string {
  return partOf(name, id)
}

/** Whether an item has such a name. */
export function isAside(node: TreeNode | undefined): boolean {
  return node?.local !== undefined && isPart(node.local.name)
}

/** Identifies a local place: no name contains a slash. */
export function localPlaceKey({parent, name}: Pick<LocalState, 'parent' | 'name'>): string {
  return `${parent}/${name}`
}

/** Identifies the content of a remote file: its MD5, or the modification time of a file without one. */
export function versionOf({md5, modified}: Pick<RemoteFile, 'md5' | 'modified'>): string {
  return md5 ?? `@${modified ?? ''}`
}

/** A local content after a transfer; `md5` is missing if it is not known. */
export function localContentOf(
  {size, modified, inode}: Pick<LocalContent, 'size' | 'modified' | 'inode'>,
  md5: string | undefined,
  version: string,
): LocalContent {
  return md5 === undefined
    ? {size, modified, inode, version}
    : {size, modified, inode, version, md5}
}

/** Whether remote content is known: that of the last transfer, or content that a push was sending. */
export function isKnownVersion(
  {version, sent}: Partial<Pick<LocalContent, 'version' | 'sent'>> = {},
  remote: Pick<RemoteFile, 'md5' | 'modified'>,
): boolean {
  const now = versionOf(remote)
  return now === version || now === sent
}

/** Whether a local file is unchanged. The inode is compared because a file can be replaced with its time kept. */
export function isAsRemembered(
  {size, modified, inode}: LocalContent,
  now: {readonly size: number; readonly modified: number; readonly inode?: number},
): boolean {
  return (
    size === now.size &&
    modified === now.modified &&
    (now.inode === undefined || inode === now.inode)
  )
}

/** A node as a short JSON array; `0` stands for a value that follows from an earlier one. */
export type Packed = readonly unknown[]

export function packNode({parent, remote, local}: TreeNode): Packed {
  const file = local?.file
  const md5 = remote.kind === 'file' ? remote.md5 : undefined
  return [
    parent,
    packRemote(remote),
    local && [
      local.parent === parent ? 0 : local.parent,
      local.name === remote.title ? 0 : local.name,
      file
        ? [
            file.size,
            file.modified,
            file.inode,
            file.md5 === md5 ? 0 : (file.md5 ?? ''),
            file.version === md5 ? 0 : file.version,
            ...(file.sent === undefined ? [] : [file.sent]),
          ]
        : local.inode,
      ...(local.isMoved ? [1] : []),
    ],
  ]
}

function packRemote(remote: RemoteEntry): unknown {
  if (remote.kind !== 'file' || remote.exported || remote.shortcut) return remote
  const {id, title, created, size, md5, modified, mimeType} = remote
  return [id, title, created, size, md5, modified, mimeType]
}

/** The node of `packNode`. Throws for anything else. */
export function unpackNode(packed: unknown): TreeNode {
  if (!Array.isArray(packed)) throw new TypeError('not a node')
  const [parent, given, place] = packed as unknown[]
  const remote = unpackRemote(given)
  if (typeof parent !== 'string') throw new TypeError('not a node')
  if (!Array.isArray(place)) return {parent, remote}
  const [at, name, content, isMoved] = place as unknown[]
  const md5 = remote.kind === 'file' ? remote.md5 : undefined
  // Assigned one by one, because there may be very many.
  const local: {-readonly [K in keyof LocalState]: LocalState[K]} = {
    parent: typeof at === 'string' ? at : parent,
    name: typeof name === 'string' ? name : remote.title,
  }
  if (typeof content === 'number') local.inode = content
  if (isMoved === 1) local.isMoved = true
  if (Array.isArray(content)) local.file = unpackContent(content, md5)
  return {parent, remote, local}
}

function unpackContent(content: readonly unknown[], remoteMd5: string | undefined): LocalContent {
  const [size, modified, inode] = content as [number, number, number]
  const [, , , sum, given, sent] = content
  const md5 = sum === 0 ? remoteMd5 : sum === '' ? undefined : (sum as string)
  const version = typeof given === 'string' ? given : (remoteMd5 ?? '')
  const file = localContentOf({size, modified, inode}, md5, version)
  return typeof sent === 'string' ? {...file, sent} : file
}

function unpackRemote(given: unknown): RemoteEntry {
  if (isObject(given)) return given as unknown as RemoteEntry
  if (!Array.isArray(given)) throw new TypeError('not an entry')
  const [id, title, created, size, md5, modified, mimeType] = given as unknown[]
  if (typeof id !== 'string' || typeof title !== 'string') throw new TypeError('not an entry')
  // JSON has null for missing values.
  const file: Record<string, unknown> = {kind: 'file', id, title, size: Number(size)}
  if (typeof created === 'number') file.created = created
  if (typeof md5 === 'string') file.md5 = md5
  if (typeof modified === 'number') file.modified = modified
  if (typeof mimeType === 'string') file.mimeType = mimeType
  return file as unknown as RemoteFile
}
