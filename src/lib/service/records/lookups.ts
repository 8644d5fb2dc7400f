import type {Call} from '#lib/service/call.js'
import {findDrive} from '#lib/service/store/drives.js'
import {
  type FileRow,
  filesByIds,
  NO_MARKS,
  type UserFile,
  userFilesOf,
} from '#lib/service/store/files/files.js'
import {type PropertyRow, visiblePropertiesOf} from '#lib/service/store/files/properties.js'
import {type Role, tokenReaches} from '#lib/service/store/sharing/access.js'
import {driveRules, type Restrictions} from '#lib/service/store/sharing/capabilities.js'
import {
  type EffectivePermission,
  effectivePermissionsOf,
  roleAmong,
} from '#lib/service/store/sharing/permissions.js'
import {type User, userById} from '#lib/service/store/users.js'

/** Data for the records of several files that is not in their rows. */
export interface RecordLookups {
  /** The caller's role on one of the files. */
  role(file: FileRow): Role | undefined
  /** Everyone who has access to one of the files. */
  permissions(file: FileRow): readonly EffectivePermission[]
  /** The caller's marks on it: the star, and dates. */
  mine(file: FileRow): UserFile
  /** The properties that the caller can see. */
  properties(file: FileRow): readonly PropertyRow[]
  /** The ID of its folder; `undefined` for a root folder, or if the caller cannot see the folder. */
  parent(file: FileRow): string | undefined
  rules(driveId: string | null): Restrictions
  /** Whether the caller is a member of a shared drive. */
  isMember(driveId: string): boolean
  user(id: number): User | undefined
}

/** Lookups for the records of these files. Each kind of data is read on first use, for all files together. */
export function lookupsFor(call: Call, files: readonly FileRow[]): RecordLookups {
  const {store, user, now} = call
  const ids = files.map(({id}) => id)
  const permissions = memoize(() => effectivePermissionsOf(store, ids, now))
  const marks = memoize(() => userFilesOf(store, user.id, ids))
  const properties = memoize(() => visiblePropertiesOf(store, ids, call.clientId))
  const parents = memoize(() => {
    const folderIds = new Set(files.flatMap(file => file.parent_id ?? []))
    const folders = [...filesByIds(store, [...folderIds]).values()]
    const {role} = lookupsFor(call, folders)
    const visible = folders.filter(folder => role(folder) && tokenReaches(call, folder))
    return new Set(visible.map(({id}) => id))
  })
  return {
    role: file =>
      file.owner_id === user.id ? 'owner' : roleAmong(permissions().get(file.id) ?? [], user),
    permissions: file => permissions().get(file.id) ?? [],
    mine: file => marks().get(file.id) ?? NO_MARKS,
    properties: file => properties().get(file.id) ?? [],
    parent(file) {
      const id = file.parent_id ?? undefined
      return id === undefined || id === user.root_id || parents().has(id) ? id : undefined
    },
    rules: onceEach(driveId => driveRules(store, driveId)),
    isMember: onceEach(driveId => findDrive(call, driveId) !== undefined),
    user: onceEach(id => userById(store, id)),
  }
}

/** A function that calls `work` on its first call and returns this result from then on. */
export function memoize<T>(work: () => T): () => T {
  let done: {readonly value: T} | undefined
  return () => (done ??= {value: work()}).value
}

function onceEach<K, T>(work: (key: K) => T): (key: K) => T {
  const done = new Map<K, T>()
  return key => {
    if (!done.has(key)) done.set(key, work(key))
    return done.get(key)!
  }
}
