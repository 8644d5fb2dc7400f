/** The parts of API records that the pages show. */

export interface Person {
  readonly displayName: string
  readonly emailAddress?: string
}

export interface FileItem {
  readonly id: string
  readonly title: string
  readonly mimeType: string
  readonly description?: string
  readonly fileSize?: string
  readonly quotaBytesUsed: string
  readonly createdDate: string
  readonly modifiedDate: string
  readonly trashedDate?: string
  readonly sharedWithMeDate?: string
  readonly lastModifyingUserName?: string
  readonly owners?: readonly Person[]
  readonly driveId?: string
  readonly parents: ReadonlyArray<{readonly id: string; readonly isRoot: boolean}>
  readonly labels: {readonly starred: boolean; readonly trashed: boolean}
  readonly properties?: ReadonlyArray<{
    readonly key: string
    readonly value: string
    readonly visibility: string
  }>
  readonly version: string
  readonly md5Checksum?: string
  readonly headRevisionId?: string
  readonly thumbnailLink?: string
  readonly imageMediaMetadata?: {readonly width: number; readonly height: number}
  readonly exportLinks?: Readonly<Record<string, string>>
  readonly shortcutDetails?: {readonly targetId?: string; readonly targetMimeType?: string}
  readonly userPermission?: {readonly role: string; readonly additionalRoles?: readonly string[]}
  readonly capabilities: Readonly<Record<string, boolean>>
}

/** A page of a list. */
export interface RecordPage<T> {
  readonly items: readonly T[]
  readonly nextPageToken?: string
}

export interface DriveItem {
  readonly id: string
  readonly name: string
  readonly createdDate: string
  readonly hidden: boolean
  readonly capabilities: Readonly<Record<string, boolean>>
}

export interface RevisionItem {
  readonly id: string
  readonly mimeType: string
  readonly modifiedDate: string
  readonly fileSize?: string
  readonly pinned?: boolean
  readonly lastModifyingUserName?: string
}
