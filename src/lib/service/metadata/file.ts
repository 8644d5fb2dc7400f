import {bareType, type FileKind, fullExtensionOf} from '#lib/service/content/types.js'
import {badRequest, required} from '#lib/service/errors.js'
import type {ContentRestriction, FileDetails} from '#lib/service/store/files/files.js'
import type {Capability} from '#lib/service/store/sharing/capabilities.js'

/** The metadata of a file before a request changes it, or the initial metadata of a new file. */
export interface Current {
  readonly kind: FileKind
  readonly title: string
  readonly originalFilename: string | null
  readonly inherits: boolean
  readonly inDrive: boolean
  readonly details: FileDetails
  /** The properties that the calling app can see. */
  readonly properties: readonly RequestedProperty[]
}

/** A property in the body of a File. A `value` of `null` removes it. */
export interface RequestedProperty {
  readonly key: string
  readonly value: string | null
  readonly visibility: 'PRIVATE' | 'PUBLIC'
}

/** The changes that a request asks for. Fields that are missing here stay as they are. */
export interface Plan {
  title?: string
  originalFilename?: string
  inherits?: boolean
  /** All details, changed or not. */
  details: FileDetails
  /** Empty text removes it. */
  indexableText?: string
  /** `null` removes it. */
  thumbnail?: {readonly image: Buffer; readonly mimeType: string} | null
  properties: readonly RequestedProperty[]
  /** The capabilities that the caller needs. */
  readonly needs: Set<Capability>
  /** Whether the changes update the modified date of the file. */
  moves: boolean
}

type Body = Readonly<Record<string, unknown>>

/** In bytes (reference: resources.md, File). */
const INDEXABLE_TEXT_LIMIT = 128 * 1024
const THUMBNAIL_LIMIT = 2 * 1024 * 1024

/** Compares the writable fields of a File with the current metadata and plans the differences (reference: resources.md, File). Throws 400. */
export function planMetadata(
  body: Body,
  current: Current,
  by: {readonly userId: number; readonly now: number},
): Plan {
  const needs = new Set<Capability>()
  const details: FileDetails = {...current.details}
  const plan: Plan = {
    details,
    properties: requestedProperties(body.properties).filter(
      requested =>
        !current.properties.some(
          ({key, value, visibility}) =>
            key === requested.key &&
            value === requested.value &&
            visibility === requested.visibility,
        ),
    ),
    needs,
    moves: false,
  }
  /** Records the capability that a change needs, and whether the change updates the modified date. */
  const need = (capability: Capability, moves = false) => {
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
    need(capability, moves)
  }

  if ('title' in body) {
    const title = titleIn(body)
    if (title !== current.title) {
      plan.title = title
      need('canRename', true)
    }
  }
  if (current.kind === 'binary') {
    const extension = fullExtensionOf(plan.title ?? current.title)
    if (extension !== undefined) details.fullFileExtension = extension
    if ('originalFilename' in body) {
      const name = (body.originalFilename as string | null) || (plan.title ?? current.title)
      if (name !== current.originalFilename) {
        plan.originalFilename = name
        need('canEdit', true)
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
      throw badRequest('writersCanShare is only valid for items of My Drive.', 'writersCanShare')
    }
    set('writersCanShare', body.writersCanShare === false ? false : undefined, 'canShare')
  }
  if ('contentRestrictions' in body) planRestriction(body.contentRestrictions, current, by, plan)
  if ('clientEncryptionDetails' in body) {
    set('clientEncryptionDetails', encryptionDetails(body, current), 'canModifyContent', true)
  }
  const linkShare = body.linkShareMetadata as {securityUpdateEnabled?: boolean} | null | undefined
  if (linkShare?.securityUpdateEnabled === false) need('canChangeSecurityUpdateEnabled')
  if ('inheritedPermissionsDisabled' in body) {
    const inherits = body.inheritedPermissionsDisabled !== true
    if (inherits !== current.inherits) {
      plan.inherits = inherits
      need(inherits ? 'canEnableInheritedPermissions' : 'canDisableInheritedPermissions')
    }
  }
  if ('indexableText' in body) {
    plan.indexableText = indexableText(body)
    need('canEdit', true)
  }
  if ('thumbnail' in body) {
    plan.thumbnail = thumbnail(body)
    need('canEdit', true)
  }
  if (plan.properties.length > 0) need('canEdit')
  return plan
}

/** The title in a body (default: `Untitled`). */
export function titleIn({title}: Body): string {
  return (title as string | null | undefined) || 'Untitled'
}

function folderColor(body: Body, {kind}: Current): string | undefined {
  const requested = body.folderColorRgb as string | null
  if (requested === null) return undefined
  if (kind !== 'folder') throw badRequest('Only folders can have a color.', 'folderColorRgb')
  const color = nearestFolderColor(requested)
  if (color) return color
  throw badRequest('folderColorRgb must be a color such as #4986e7.', 'folderColorRgb', 'invalid')
}

/** Plans the content restriction. A file has at most one; removing and changing it need different capabilities. */
function planRestriction(
  list: unknown,
  {details: {contentRestriction: before}}: Current,
  {userId, now}: {readonly userId: number; readonly now: number},
  plan: Plan,
): void {
  const restrictions = (list ?? []) as ReadonlyArray<{
    readOnly?: boolean
    reason?: string
    ownerRestricted?: boolean
    restrictionDate?: string
  }>
  if (restrictions.length > 1) {
    throw badRequest('A file can have at most one content restriction.', 'contentRestrictions')
  }
  const [requested] = restrictions
  if (!requested?.readOnly) {
    if (before) plan.needs.add('canRemoveContentRestriction')
    delete plan.details.contentRestriction
    return
  }
  const ownerRestricted = requested.ownerRestricted ?? false
  const reason = requested.reason || undefined
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
    restrictionDate: requested.restrictionDate ? Date.parse(requested.restrictionDate) : now,
  } satisfies ContentRestriction
}

function encryptionDetails(body: Body, {kind}: Current): object | undefined {
  const details = body.clientEncryptionDetails as {encryptionState?: string} | null
  if (details === null) return undefined
  if (kind === 'folder' || kind === 'shortcut') {
    throw badRequest('Folders and shortcuts cannot be encrypted.', 'clientEncryptionDetails')
  }
  const {encryptionState} = details
  if (encryptionState && !['encrypted', 'unencrypted'].includes(encryptionState)) {
    throw badRequest('encryptionState must be encrypted or unencrypted.', 'clientEncryptionDetails')
  }
  return details
}

function indexableText(body: Body): string {
  const text = (body.indexableText as {text?: string | null} | null)?.text ?? ''
  if (Buffer.byteLength(text) > INDEXABLE_TEXT_LIMIT) {
    throw badRequest('indexableText is too long (limit: 128 KiB).', 'indexableText')
  }
  return text
}

function thumbnail(body: Body): Plan['thumbnail'] {
  const requested = body.thumbnail as {image?: string | null; mimeType?: string | null} | null
  if (!requested?.image) return null
  const mimeType = bareType(requested.mimeType ?? undefined)
  if (!mimeType) throw required('thumbnail.mimeType')
  if (!mimeType.startsWith('image/')) {
    throw badRequest('A thumbnail must be an image.', 'thumbnail.mimeType', 'invalid')
  }
  const image = Buffer.from(requested.image, 'base64url')
  if (image.length > THUMBNAIL_LIMIT) {
    throw badRequest('The thumbnail is too large (limit: 2 MiB).', 'thumbnail.image')
  }
  return {image, mimeType}
}

function requestedProperties(list: unknown): RequestedProperty[] {
  const properties = (list ?? []) as ReadonlyArray<{
    key?: string
    value?: string
    visibility?: string
  }>
  return properties.map(({key, value, visibility}) => {
    if (!key) throw required('properties.key')
    const namespace = (visibility ?? 'PRIVATE').toUpperCase()
    if (namespace !== 'PRIVATE' && namespace !== 'PUBLIC') {
      throw badRequest('visibility must be PRIVATE or PUBLIC.', 'properties.visibility', 'invalid')
    }
    return {key, value: value ?? null, visibility: namespace}
  })
}

/** The colors of folders (reference: resources.md, About.folderColorPalette). */
export const folderColorPalette: readonly string[] = `
  #ac725e #d06b64 #f83a22 #fa573c #ff7537 #ffad46 #42d692 #16a765
  #7bd148 #b3dc6c #fbe983 #fad165 #92e1c0 #9fe1e7 #9fc6e7 #4986e7
  #9a9cff #b99aff #8f8f8f #cabdbf #cca6ac #f691b2 #cd74e6 #a47ae2
`
  .trim()
  .split(/\s+/)

/** The palette color nearest to `#rrggbb`; `undefined` for text in another format. */
export function nearestFolderColor(color: string): string | undefined {
  if (!/^#[0-9a-f]{6}$/i.test(color)) return undefined
  return folderColorPalette.reduce((best, candidate) =>
    distance(candidate, color) < distance(best, color) ? candidate : best,
  )
}

/** The squared Euclidean distance of two `#rrggbb` colors. */
function distance(a: string, b: string): number {
  return [1, 3, 5]
    .map(at => parseInt(a.slice(at, at + 2), 16) - parseInt(b.slice(at, at + 2), 16))
    .reduce((sum, difference) => sum + difference * difference, 0)
}
