import {FileServiceError} from '#lib/service/errors.js'
import {insertRow, updateRows} from '#lib/service/store/database/rows.js'
import {saveFile} from '#lib/service/store/files/files.js'
import {contentText, indexFile} from '#lib/service/store/files/fulltext.js'
import {setProperty} from '#lib/service/store/files/properties.js'
import {newOpaqueId, permissionIdFor} from '#lib/service/store/ids.js'
import {savePermission} from '#lib/service/store/sharing/permissions.js'
import {type User, userByEmail, userByLogin} from '#lib/service/store/users.js'
import {formerUser, requireUser} from './accounts.js'
import {detailsFor, type PlacedItem} from './items.js'
import type {SeedMarks, SeedPermission} from './seed.js'
import type {SeedRun} from './seed-run.js'
import {type SeedPath, SeedProblem} from './validate.js'

/** Writes everything about an item whose row exists: content, permissions, marks, properties, labels. Throws `SeedProblem`. */
export function completeItem(run: SeedRun, item: PlacedItem): void {
  const {store} = run
  const {id, file, path} = item
  const {head, ...columns} = writeRevisions(run, item)
  const details = detailsFor(run, item, head?.blob)
  saveFile(store, id, {...columns, details: JSON.stringify(details)})
  const {mimeType} = item
  const content = head && {blobId: head.blob.id, size: head.blob.size, mimeType, text: head.words}
  const text =
    content && (head.words ?? contentText(store, content, file.useContentAsIndexableText))
  // Indexing takes time, even without words.
  if (text || file.indexableText || details.description) {
    indexFile(store, id, {given: file.indexableText, content: text})
  }
  if (item.thumbnail) {
    const blob = run.blobRow(item.thumbnail)
    const row = {file_id: id, blob_id: blob.id, mime_type: file.thumbnail!.mimeType}
    insertRow(store, 'thumbnails', row)
  }
  const shared = grant(
    run,
    id,
    file.permissions,
    [...path, 'permissions'],
    item.place.driveId !== null,
  )
  writeMarks(run, item, shared)
  writeProperties(run, item)
  for (const {id: labelId, revisionId, fields = {}} of file.labels ?? []) {
    insertRow(store, 'file_labels', {
      file_id: id,
      label_id: labelId,
      revision_id: revisionId ?? newOpaqueId(store.random),
      fields: JSON.stringify(fields),
    })
  }
}

/** Writes all revisions. Returns the head, if there is content, and the columns of the file that depend on them. */
function writeRevisions(run: SeedRun, item: PlacedItem) {
  const {store} = run
  const {id, file, path, mimeType} = item
  const named = file.originalFilename ?? file.title
  const isEditor = item.revisions[0]?.words !== undefined
  const isImplied = file.revisions === undefined
  const rows = item.revisions.map(({given, path: at, blob}) => ({
    id: given.id ?? (isImplied ? file.headRevisionId : undefined) ?? newOpaqueId(store.random),
    blob,
    given,
    path: at,
    modifiedAt: run.time(given.modifiedDate, [...at, 'modifiedDate']) ?? item.modifiedAt,
    modifier: formerUser(run, given.modifiedBy, [...at, 'modifiedBy'], item.modifier),
  }))
  const headId = file.headRevisionId ?? rows.at(-1)?.id
  const head = rows.findIndex(row => row.id === headId)
  if (headId !== undefined && head < 0) {
    throw new SeedProblem([...path, 'headRevisionId'], `is an unknown revision: "${headId}"`)
  }
  for (const [index, {given, ...row}] of rows.entries()) {
    if (rows.findIndex(each => each.id === row.id) !== index) {
      throw new SeedProblem([...row.path, 'id'], `is already used by another revision: ${row.id}`)
    }
    const replaced = run.time(given.replacedDate, [...row.path, 'replacedDate'])
    const next = rows[index + 1]?.modifiedAt ?? item.modifiedAt
    insertRow(store, 'revisions', {
      file_id: id,
      id: row.id,
      number: index + 1,
      blob_id: run.blobRow(row.blob).id,
      mime_type: given.mimeType ?? mimeType,
      original_filename: given.originalFilename ?? (isEditor ? null : named),
      modified_at: row.modifiedAt,
      replaced_at: index === head ? null : (replaced ?? next),
      modifier_id: row.modifier?.id ?? null,
      pinned: given.pinned ?? false,
      published: given.published ?? false,
      publish_auto: given.publishAuto ?? false,
      published_outside_domain: given.publishedOutsideDomain ?? false,
    })
  }
  if (headId === undefined) return {}
  const quota = rows.reduce((sum, {blob}) => sum + blob.size, 0)
  return {head: item.revisions[head]!, head_revision_id: headId, quota_bytes: quota}
}

/** Grants permissions on an item. Returns the accounts that have one. */
export function grant(
  run: SeedRun,
  fileId: string,
  permissions: readonly SeedPermission[] | undefined,
  path: SeedPath,
  inDrive: boolean,
): readonly User[] {
  const {store} = run
  return (permissions ?? []).flatMap((permission, index) => {
    const at = [...path, index]
    const {type = 'user', role, withLink = false, pendingOwner = false} = permission
    if (!inDrive && ['organizer', 'fileOrganizer'].includes(role)) {
      throw new SeedProblem([...at, 'role'], `is allowed in shared drives only: ${role}`)
    }
    const {value} = permission
    if ((type === 'anyone') !== (value === undefined)) {
      const message = type === 'anyone' ? 'is not allowed for the type anyone' : 'is missing'
      throw new SeedProblem([...at, 'value'], message)
    }
    const account =
      type === 'user' ? (userByLogin(store, value!) ?? userByEmail(store, value!)) : undefined
    const email = account?.email ?? value ?? ''
    if ((type === 'user' || type === 'group') && !/^[^@\s]+@[^@\s]+$/.test(email)) {
      throw new SeedProblem([...at, 'value'], `is neither a user nor an email address: ${email}`)
    }
    const anyoneId = withLink ? 'anyoneWithLink' : 'anyone'
    savePermission(store, fileId, {
      id: type === 'anyone' ? anyoneId : permissionIdFor(email),
      type,
      role,
      email: type === 'user' || type === 'group' ? email : null,
      domain: type === 'domain' ? email.toLowerCase() : null,
      withLink,
      expiresAt: run.time(permission.expirationDate, [...at, 'expirationDate'], true) ?? null,
      pendingOwner,
    })
    return account ?? []
  })
}

/** The default marks: the modifier has viewed and modified the file, and users with a permission got it from its owner. */
function writeMarks(run: SeedRun, item: PlacedItem, shared: readonly User[]): void {
  const {store} = run
  const {id, file, path, modifier, modifiedAt, place} = item
  const rows = new Map<number, Parameters<typeof insertRow>[2]>()
  for (const user of shared) rows.set(user.id, {shared_at: modifiedAt, sharer_id: place.owner.id})
  if (modifier && !item.isRoot) {
    rows.set(modifier.id, {
      ...rows.get(modifier.id),
      viewed_at: modifiedAt,
      modified_at: modifiedAt,
    })
  }
  for (const [login, marks] of Object.entries(file.marks ?? {})) {
    const at = [...path, 'marks', login]
    rows.set(requireUser(run, login, at).id, marksOf(run, marks, at))
  }
  for (const [userId, row] of rows) {
    if (Object.values(row).every(value => !value)) continue
    const key = {user_id: userId, file_id: id}
    // Owners already have a row.
    if (updateRows(store, 'user_files', key, row) === 0)
      insertRow(store, 'user_files', {...key, ...row})
  }
}

function marksOf(run: SeedRun, marks: SeedMarks, at: SeedPath) {
  const {starred = false, sharedBy} = marks
  const time = (name: 'viewedDate' | 'modifiedDate' | 'sharedDate') =>
    run.time(marks[name], [...at, name]) ?? null
  return {
    starred,
    viewed_at: time('viewedDate'),
    modified_at: time('modifiedDate'),
    shared_at: time('sharedDate'),
    sharer_id: sharedBy === undefined ? null : requireUser(run, sharedBy, [...at, 'sharedBy']).id,
  }
}

function writeProperties({store}: SeedRun, {id, file, path}: PlacedItem): void {
  for (const [index, property] of (file.properties ?? []).entries()) {
    const at = [...path, 'properties', index]
    const {key, value, visibility = 'PUBLIC', app, version} = property
    if (app !== undefined && visibility === 'PUBLIC') {
      throw new SeedProblem([...at, 'app'], 'is allowed for private properties only')
    }
    try {
      setProperty({store, clientId: app}, {fileId: id, key, visibility}, value)
    } catch (error) {
      if (!(error instanceof FileServiceError)) throw error
      throw new SeedProblem(at, `is not valid: ${error.message}`)
    }
    const row = {file_id: id, key, visibility, client_id: app ?? ''}
    if (version !== undefined) updateRows(store, 'properties', row, {version})
  }
}
