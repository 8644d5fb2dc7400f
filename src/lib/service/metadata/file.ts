import {bareType, type FileKind, fullExtensionOf} from '#lib/service/content/types.js'
import {badRequest, required} from '#lib/service/errors.js'
import type {ContentRestriction, FileDetails} from '#lib/service/store/files/files.js'
import type {Capability} from '#lib/service/store/sharing/capabilities.js'

/** What a file is before a request changes it; of a new one, what it starts with. */
export interface Current {
  readonly kind: FileKind
  readonly title: string
  readonly originalFilename: string | null
  readonly inherits: boolean
  readonly inDrive: boolean
  readonly details: FileDetails
  /** As far as the calling app sees them. */
  readonly properties: readonly PropertyWish[]
}

/** A property in the body of a File; a `value` of null takes it away. */
export interface PropertyWish {
  readonly key: string
  readonly value: string | null
  readonly visibility: 'PRIVATE' | 'PUBLIC'
}

/** What a request wants changed. A field that is left out stays, and so does one that is the same already. */
export interface Plan {
  title?: string
  originalFilename?: string
  inherits?: boolean
  /** All details as they shall be. */
  details: FileDetails
  /** Empty text takes it away. */
  indexableText?: string
  /** `null` takes it away. */
  thumbnail?: {readonly image: Buffer; readonly mimeType: string} | null
  properties: readonly PropertyWish[]
  /** What the caller must be able to do for it. */
  readonly needs: Set<Capability>
  /** Whether it counts as an edit of the file, so that its modified date moves. */
  moves: boolean
}

type Body = Readonly<Record<string, unknown>>

/** In bytes (reference: resources.md, File). */
const INDEXABLE_TEXT_LIMIT = 128 * 1024
const THUMBNAIL_LIMIT = 2 * 1024 * 1024

/** Compares the writable fields of a File with what the file is: only differences count (reference: resources.md, File). Throws 400. */
export function planMetadata(
  body: Body,
  current: Current,
  by: {readonly userId: number; readonly now: number},
): Plan {
  const needs = new Set<Capability>()
  const details: FileDetails = {...current.details}
  const plan: Plan = {
    details,
    properties: propertyWishes(body.properties).filter(
      wish =>
        !current.properties.some(
          ({key, value, visibility}) =>
            key === wish.key && value === wish.value && visibility === wish.visibility,
        ),
    ),
    needs,
    moves: false,
  }
  /** Notes a wish; `moves` when it is an edit of the file itself. */
  const want = (capability: Capability, moves = false) => {
    needs.add(capability)
    plan.moves ||= moves
  }
  const set = <K extends keyof FileDetails>(
    name: K,
    value: FileDetails[K],
    capability: Capability,
    moves = false,
  ) => {
    if (JSON.stringify(value) === JSON.stringify(current.details[name])) return
    if (value === undefined) delete details[name]
    else details[name] = value
    want(capability, moves)
  }

  if ('title' in body) {
    const title = titleIn(body)
    if (title !== current.title) {
      plan.title = title
      want('canRename', true)
    }
  }
  if (current.kind === 'binary') {
    const extension = fullExtensionOf(plan.title ?? current.title)
    if (extension !== undefined) details.fullFileExtension = extension
    if ('originalFilename' in body) {
      const name = (body.originalFilename as string | null) || (plan.title ?? current.title)
      if (name !== current.originalFilename) {
        plan.originalFilename = name
        want('canEdit', true)
      }
    }
  }
  if ('description' in body) {
    set('description', (body.description as string | null) || undefined, 'canEdit', true)
  }
  if ('folderColorRgb' in body) set('folderColorRgb', folderColor(body, current), 'canEdit')
  if ('copyRequiresWriterPermission' in body) {
    const restricted = body.copyRequiresWriterPermission === true || undefined
    set('copyRequiresWriterPermission', restricted, 'canChangeCopyRequiresWriterPermission')
  }
  if ('writersCanShare' in body) {
    if (current.inDrive && body.writersCanShare === false) {
      throw badRequest('writersCanShare applies to items of My Drive only.', 'writersCanShare')
    }
    set('writersCanShare', body.writersCanShare === false ? false : undefined, 'canShare')
  }
  if ('contentRestrictions' in body) planRestriction(body.contentRestrictions, current, by, plan)
  if ('clientEncryptionDetails' in body) {
    set('clientEncryptionDetails', encryptionDetails(body, current), 'canModifyContent', true)
  }
  const linkShare = body.linkShareMetadata as {securityUpdateEnabled?: boolean} | null | undefined
  if (linkShare?.securityUpdateEnabled === false) want('canChangeSecurityUpdateEnabled')
  if ('inheritedPermissionsDisabled' in body) {
    const inherits = body.inheritedPermissionsDisabled !== true
    if (inherits !== current.inherits) {
      plan.inherits = inherits
      want(inherits ? 'canEnableInheritedPermissions' : 'canDisableInheritedPermissions')
    }
  }
  if ('indexableText' in body) {
    plan.indexableText = indexableText(body)
    want('canEdit', true)
  }
  if ('thumbnail' in body) {
    plan.thumbnail = thumbnail(body)
    want('canEdit', true)
  }
  if (plan.properties.length > 0) want('canEdit')
  return plan
}

/** The title that a body names for a file. */
export function titleIn({title}: Body): string {
  return (title as string | null | undefined) || 'Untitled'
}

function folderColor(body: Body, {kind}: Current): string | undefined {
  const wish = body.folderColorRgb as string | null
  if (wish === null) return undefined
  if (kind !== 'folder') throw badRequest('Only folders have a colour.', 'folderColorRgb')
  const color = nearestFolderColor(wish)
  if (color) return color
  throw badRequest('folderColorRgb must look like #4986e7.', 'folderColorRgb', 'invalid')
}

/** One lock, or none. Lifting it and changing it take different rights. */
function planRestriction(
  list: unknown,
  {details: {contentRestriction: before}}: Current,
  {userId, now}: {readonly userId: number; readonly now: number},
  plan: Plan,
): void {
  const wishes = (list ?? []) as ReadonlyArray<{
    readOnly?: boolean
    reason?: string
    ownerRestricted?: boolean
    restrictionDate?: string
  }>
  if (wishes.length > 1) {
    throw badRequest('A file has one content restriction at most.', 'contentRestrictions')
  }
  const wish = wishes[0]
  if (!wish?.readOnly) {
    if (before) plan.needs.add('canRemoveContentRestriction')
    delete plan.details.contentRestriction
    return
  }
  const ownerRestricted = wish.ownerRestricted ?? false
  const reason = wish.reason || undefined
  if (before && before.ownerRestricted === ownerRestricted && before.reason === reason) return
  plan.needs.add(
    ownerRestricted || before?.ownerRestricted
      ? 'canModifyOwnerContentRestriction'
      : 'canModifyEditorContentRestriction',
  )
  plan.details.contentRestriction = {
    ...(reason !== undefined && {reason}),
    ownerRestricted,
    restrictingUserId: userId,
    restrictionDate: wish.restrictionDate ? Date.parse(wish.restrictionDate) : now,
  } satisfies ContentRestriction
}

function encryptionDetails(body: Body, {kind}: Current): object | undefined {
  const wish = body.clientEncryptionDetails as {encryptionState?: string} | null
  if (wish === null) return undefined
  if (kind === 'folder' || kind === 'shortcut') {
    throw badRequest('Folders and shortcuts cannot be encrypted.', 'clientEncryptionDetails')
  }
  if (wish.encryptionState && !['encrypted', 'unencrypted'].includes(wish.encryptionState)) {
    throw badRequest('encryptionState must be encrypted or unencrypted.', 'clientEncryptionDetails')
  }
  return wish
}

function indexableText(body: Body): string {
  const text = (body.indexableText as {text?: string | null} | null)?.text ?? ''
  if (Buffer.byteLength(text) > INDEXABLE_TEXT_LIMIT) {
    throw badRequest('indexableText can be 128 KB long at most.', 'indexableText')
  }
  return text
}

function thumbnail(body: Body): Plan['thumbnail'] {
  const wish = body.thumbnail as {image?: string | null; mimeType?: string | null} | null
  if (!wish?.image) return null
  const mimeType = bareType(wish.mimeType ?? undefined)
  if (!mimeType) throw required('thumbnail.mimeType')
  if (!mimeType.startsWith('image/')) {
    throw badRequest('A thumbnail must be an image.', 'thumbnail.mimeType', 'invalid')
  }
  const image = Buffer.from(wish.image, 'base64url')
  if (image.length > THUMBNAIL_LIMIT) {
    throw badRequest('A thumbnail can have 2 MB at most.', 'thumbnail.image')
  }
  return {image, mimeType}
}

function propertyWishes(list: unknown): PropertyWish[] {
  const wishes = (list ?? []) as ReadonlyArray<{key?: string; value?: string; visibility?: string}>
  return wishes.map(({key, value, visibility}) => {
    if (!key) throw required('properties.key')
    const namespace = (visibility ?? 'PRIVATE').toUpperCase()
    if (namespace !== 'PRIVATE' && namespace !== 'PUBLIC') {
      throw badRequest('visibility must be PRIVATE or PUBLIC.', 'properties.visibility', 'invalid')
    }
    return {key, value: value ?? null, visibility: namespace}
  })
}

/** The colours folders can have (reference: resources.md, About.folderColorPalette). */
export const folderColorPalette: readonly string[] = `
  #ac725e #d06b64 #f83a22 #fa573c #ff7537 #ffad46 #42d692 #16a765
  #7bd148 #b3dc6c #fbe983 #fad165 #92e1c0 #9fe1e7 #9fc6e7 #4986e7
  #9a9cff #b99aff #8f8f8f #cabdbf #cca6ac #f691b2 #cd74e6 #a47ae2
`
  .trim()
  .split(/\s+/)

/** The palette's colour nearest to `#rrggbb`; `undefined` for a text that is no colour. */
export function nearestFolderColor(color: string): string | undefined {
  if (!/^#[0-9a-f]{6}$/i.test(color)) return undefined
  return folderColorPalette.reduce((best, candidate) =>
    distance(candidate, color) < distance(best, color) ? candidate : best,
  )
}

/** The square of the distance of two colours as points in space. */
function distance(a: string, b: string): number {
  return [1, 3, 5]
    .map(at => parseInt(a.slice(at, at + 2), 16) - parseInt(b.slice(at, at + 2), 16))
    .reduce((sum, difference) => sum + difference * difference, 0)
}
