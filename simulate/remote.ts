import {FOLDER_TYPE} from '#lib/api/wire.js'

/** The files of one user as the service reports them, and the differences between two moments. */

export interface RemoteItem {
  readonly id: string
  readonly title: string
  /** The ID of the folder that contains it; empty at the top. */
  readonly parent: string
  readonly isFolder: boolean
  readonly md5: string
  /** Trashed itself, not with the folder that contains it. */
  readonly isTrashed: boolean
  readonly isStarred: boolean
  /** The value of the property `state`, if there is one. */
  readonly property?: string
  /** Roles by email address, without the owner. */
  readonly access: Readonly<Record<string, string>>
}

export interface Remote {
  readonly items: ReadonlyMap<string, RemoteItem>
  /** `/A/b.txt`: the path of an item, also in the trash. */
  pathOf(id: string): string
  /** The item at a path outside the trash. */
  at(path: string): RemoteItem | undefined
  /** The items in a folder outside the trash. */
  inside(id: string): readonly RemoteItem[]
  /** Everything below a folder outside the trash, parents first. */
  below(id: string): readonly RemoteItem[]
  /** An item and everything below it, also in the trash. */
  whole(id: string): readonly RemoteItem[]
  isInTrash(id: string): boolean
  readonly root: string
}

/** A difference: `create /A/b.txt MD5`, `trash ID`, `grant ID ben@example.com reader`, … */
export interface Difference {
  readonly text: string
  readonly id: string
  /** The path before, or the new path of a created item. */
  readonly path: string
  /** The difference that undoing it makes; missing if it cannot be undone. */
  readonly reverse?: string
}

/** Reads everything that a user owns. */
export async function readRemote(url: string, token: string): Promise<Remote> {
  const get = async (path: string) => {
    const response = await fetch(`${url}/drive/v2${path}`, {
      headers: {authorization: `Bearer ${token}`},
    })
    if (!response.ok) throw new Error(`GET ${path}: ${await response.text()}`)
    return (await response.json()) as any
  }
  const {rootFolderId: root} = await get('/about')
  const items = new Map<string, RemoteItem>()
  let page = ''
  do {
    const q = encodeURIComponent(`'me' in owners`)
    const {items: found, nextPageToken} = await get(
      `/files?maxResults=1000&q=${q}${page && `&pageToken=${page}`}`,
    )
    for (const file of found) {
      const access: Record<string, string> = {}
      if (file.shared) {
        const {items: permissions} = await get(`/files/${file.id}/permissions`)
        for (const {emailAddress, role} of permissions) {
          if (role !== 'owner') access[emailAddress] = role
        }
      }
      items.set(file.id, {
        id: file.id,
        title: file.title,
        parent: file.parents[0]?.id ?? '',
        isFolder: file.mimeType === FOLDER_TYPE,
        md5: file.md5Checksum ?? '',
        isTrashed: file.explicitlyTrashed === true,
        isStarred: file.labels.starred,
        property: file.properties?.find(({key}: {key: string}) => key === 'state')?.value,
        access,
      })
    }
    page = nextPageToken ?? ''
  } while (page)
  return remoteOf(root, items)
}

function remoteOf(root: string, items: ReadonlyMap<string, RemoteItem>): Remote {
  const isInTrash = (id: string): boolean => {
    const item = items.get(id)
    return item !== undefined && (item.isTrashed || isInTrash(item.parent))
  }
  const pathOf = (id: string): string => {
    const item = items.get(id)
    return item ? `${pathOf(item.parent)}/${item.title}` : id === root || id === '' ? '' : `?${id}`
  }
  const children = new Map<string, RemoteItem[]>()
  for (const item of items.values()) {
    if (isInTrash(item.id)) continue
    const siblings = children.get(item.parent)
    if (siblings) siblings.push(item)
    else children.set(item.parent, [item])
  }
  const inside = (id: string) => children.get(id) ?? []
  const below = (id: string): RemoteItem[] => inside(id).flatMap(item => [item, ...below(item.id)])
  const whole = (id: string): RemoteItem[] =>
    [...items.values()].filter(item => {
      let at: RemoteItem | undefined = item
      while (at && at.id !== id) at = items.get(at.parent)
      return at !== undefined
    })
  const byPath = new Map(below(root).map(item => [pathOf(item.id), item]))
  return {items, pathOf, inside, below, whole, isInTrash, root, at: path => byPath.get(path)}
}

/** What differs between two moments. */
export function differences(before: Remote, after: Remote): Difference[] {
  const found: Difference[] = []
  for (const now of after.items.values()) {
    const was = before.items.get(now.id)
    const path = before.pathOf(was ? now.id : '') || after.pathOf(now.id)
    const add = (text: string, reverse?: string) =>
      found.push({text, id: now.id, path, ...(reverse !== undefined && {reverse})})
    if (!was) {
      add(created(after.pathOf(now.id), now.isFolder ? 'folder' : now.md5), `trash ${now.id}`)
      if (now.isTrashed) add(`trash ${now.id}`, `untrash ${now.id}`)
      if (now.isStarred) add(`star ${now.id}`, `unstar ${now.id}`)
    } else {
      if (was.md5 !== now.md5) {
        add(`content ${now.id} ${now.md5}`, `content ${now.id} ${was.md5}`)
      }
      if (was.title !== now.title || was.parent !== now.parent) {
        const place = (remote: Remote, {parent, title}: RemoteItem) =>
          placed(now.id, `${remote.pathOf(parent)}/${title}`)
        add(place(after, now), place(before, was))
      }
      if (was.isTrashed !== now.isTrashed) {
        add(...pair(now.isTrashed, `trash ${now.id}`, `untrash ${now.id}`))
      }
      if (was.isStarred !== now.isStarred) {
        add(...pair(now.isStarred, `star ${now.id}`, `unstar ${now.id}`))
      }
    }
    // A copy has the properties of its source.
    if (was && was.property !== now.property) add(property(now.id, now.property ?? ''))
    // A created item has the access that its folder passes on.
    const old = was?.access ?? now.access
    for (const who of new Set([...Object.keys(old), ...Object.keys(now.access)])) {
      if (old[who] === now.access[who]) continue
      add(access(now.id, who, now.access[who]), access(now.id, who, old[who]))
    }
  }
  for (const was of before.items.values()) {
    if (!after.items.has(was.id)) {
      found.push({text: `remove ${was.id}`, id: was.id, path: before.pathOf(was.id)})
    }
  }
  return found
}

const pair = (is: boolean, one: string, other: string): [string, string] =>
  is ? [one, other] : [other, one]

export const created = (path: string, content: string) => `create ${path} ${content}`
export const placed = (id: string, path: string) => `place ${id} ${path}`
export const property = (id: string, value: string) => `property ${id} ${value}`
export const access = (id: string, who: string, role: string | undefined) =>
  role === undefined ? `revoke ${id} ${who}` : `grant ${id} ${who} ${role}`
