/** Data to fill a service with, as in the file of `drv local serve --seed`. Dates: `2027-03-01T12:00:00Z`, or an age such as `7d`. */
export interface Seed {
  /** The JSON Schema, for editors. */
  readonly $schema?: string
  readonly users?: readonly SeedUser[]
  readonly apps?: readonly SeedApp[]
  readonly drives?: readonly SeedDrive[]
  readonly organizations?: readonly SeedOrganization[]
  /** Items of My Drive of the first user. */
  readonly files?: readonly SeedFile[]
  readonly appData?: readonly SeedAppData[]
}

/** A user of a {@link Seed}. A user who exists already is changed. */
export interface SeedUser {
  readonly login: string
  readonly id?: number
  readonly name?: string
  readonly email?: string
  readonly emailVerified?: boolean
  readonly suspended?: boolean
  /** The ID of My Drive. */
  readonly rootId?: string
  readonly root?: SeedRoot
  readonly createdDate?: string
  readonly updatedDate?: string
  /** Items of My Drive. */
  readonly files?: readonly SeedFile[]
}

/** An app of a {@link Seed}. */
export interface SeedApp {
  readonly clientId: string
  readonly name: string
  /** Default: none, a public client. */
  readonly clientSecret?: string
  /** SHA-256 of the client secret in hex, instead of the secret. */
  readonly clientSecretHash?: string
  readonly homeUrl?: string
  readonly callbackUrl?: string
  readonly deviceFlow?: boolean
  readonly suspended?: boolean
  /** Lifetime of access tokens in seconds. */
  readonly expiresIn?: number
  /** Seconds. */
  readonly reuseInterval?: number
  /** More fields of an App record, such as `primaryMimeTypes`. */
  readonly facts?: Readonly<Record<string, unknown>>
  readonly createdDate?: string
}

/** A shared drive of a {@link Seed}. */
export interface SeedDrive {
  readonly name: string
  readonly id?: string
  readonly createdDate?: string
  /** The login of the creator (default: the first user). */
  readonly createdBy?: string
  readonly requestId?: string
  readonly themeId?: string
  readonly colorRgb?: string
  readonly backgroundImageFile?: {
    readonly id: string
    readonly xCoordinate: number
    readonly yCoordinate: number
    readonly width: number
  }
  readonly restrictions?: Readonly<Record<string, boolean>>
  /** Logins of users who have hidden it. */
  readonly hiddenFor?: readonly string[]
  /** The members (default: the creator as organizer). */
  readonly permissions?: readonly SeedPermission[]
  readonly root?: SeedRoot
  readonly files?: readonly SeedFile[]
}

/** An organization of a {@link Seed}. */
export interface SeedOrganization {
  readonly name: string
  readonly id?: number
  readonly sso?: boolean
  /** IDs or names of shared drives. */
  readonly drives?: readonly string[]
  readonly createdDate?: string
}

/** The hidden folder of an app for a user. */
export interface SeedAppData {
  readonly user: string
  /** The client ID; missing for personal tokens. */
  readonly app?: string
  readonly id?: string
  readonly createdDate?: string
  readonly root?: SeedRoot
  readonly files?: readonly SeedFile[]
}

/** Metadata of the root folder of a drive. */
export type SeedRoot = Pick<
  SeedFile,
  | 'description'
  | 'folderColorRgb'
  | 'indexableText'
  | 'writersCanShare'
  | 'modifiedDate'
  | 'modifiedBy'
  | 'properties'
  | 'labels'
  | 'marks'
  | 'version'
>

/** Content: at most one of these fields. */
export interface SeedContent {
  readonly text?: string
  readonly base64?: string
  /** A local file, relative to the folder of the seed file. */
  readonly path?: string
  /** Generated content: bytes, or a string such as `10 MiB`. */
  readonly size?: number | string
  /** The stored source of an editor document: HTML or CSV. */
  readonly source?: string
}

/** A file, folder or shortcut. */
export interface SeedFile extends SeedContent {
  readonly title?: string
  readonly id?: string
  /** Default: a folder with `children`, otherwise by title and content. */
  readonly mimeType?: string
  /** Makes it a folder. */
  readonly children?: readonly SeedFile[]
  /** The ID of the target. Makes it a shortcut. */
  readonly shortcutTarget?: string
  readonly targetMimeType?: string
  /** The login of the owner (default: that of the folder). */
  readonly owner?: string
  /** The client ID of the app that created it. */
  readonly app?: string
  readonly createdDate?: string
  readonly modifiedDate?: string
  /** `null`: a deleted user. */
  readonly modifiedBy?: string | null
  readonly description?: string
  readonly originalFilename?: string
  readonly fullFileExtension?: string
  readonly indexableText?: string
  /** Whether search finds content that is not text. */
  readonly useContentAsIndexableText?: boolean
  readonly folderColorRgb?: string
  readonly copyRequiresWriterPermission?: boolean
  readonly writersCanShare?: boolean
  readonly contentRestriction?: {
    readonly reason?: string
    readonly ownerRestricted?: boolean
    readonly user?: string | null
    readonly date?: string
  }
  readonly clientEncryptionDetails?: Readonly<Record<string, unknown>>
  readonly image?: {readonly width: number; readonly height: number}
  readonly thumbnail?: SeedContent & {readonly mimeType: string}
  readonly thumbnailVersion?: number
  readonly trashed?: boolean
  readonly trashedDate?: string
  readonly trashedBy?: string | null
  readonly inheritsPermissions?: boolean
  readonly permissions?: readonly SeedPermission[]
  readonly properties?: readonly SeedProperty[]
  readonly labels?: readonly SeedLabel[]
  /** All revisions, oldest first, instead of the content. */
  readonly revisions?: readonly SeedRevision[]
  /** Default: the last one. */
  readonly headRevisionId?: string
  /** Stars, views and sharing, by login. */
  readonly marks?: Readonly<Record<string, SeedMarks>>
  readonly version?: number
}

export interface SeedPermission {
  /** Default: `user`. */
  readonly type?: 'user' | 'group' | 'domain' | 'anyone'
  readonly role: 'organizer' | 'fileOrganizer' | 'writer' | 'commenter' | 'reader'
  /** A login, email address or domain. */
  readonly value?: string
  readonly withLink?: boolean
  readonly expirationDate?: string
  readonly pendingOwner?: boolean
}

export interface SeedProperty {
  readonly key: string
  readonly value: string
  /** Default: `PUBLIC`. */
  readonly visibility?: 'PUBLIC' | 'PRIVATE'
  /** The client ID of the app of a private property. */
  readonly app?: string
  readonly version?: number
}

export interface SeedLabel {
  readonly id: string
  readonly revisionId?: string
  /** By field ID. */
  readonly fields?: Readonly<Record<string, SeedLabelField>>
}

export interface SeedLabelField {
  readonly valueType: 'dateString' | 'integer' | 'selection' | 'text' | 'user'
  readonly values: readonly string[]
}

export interface SeedRevision extends SeedContent {
  readonly id?: string
  readonly mimeType?: string
  readonly originalFilename?: string
  readonly modifiedDate?: string
  /** `null`: a deleted user. */
  readonly modifiedBy?: string | null
  readonly replacedDate?: string
  readonly pinned?: boolean
  readonly published?: boolean
  readonly publishAuto?: boolean
  readonly publishedOutsideDomain?: boolean
}

export interface SeedMarks {
  readonly starred?: boolean
  readonly viewedDate?: string
  readonly modifiedDate?: string
  readonly sharedDate?: string
  readonly sharedBy?: string
}
