/* Protocol constants shared by client and service that are not part of the description. */

export const JSON_TYPE = 'application/json; charset=UTF-8'
export const FOLDER_TYPE = 'application/vnd.google-apps.folder'
export const SHORTCUT_TYPE = 'application/vnd.google-apps.shortcut'
/** Prefix of media types without binary content: folders, shortcuts, editor documents. */
export const EDITOR_TYPE_PREFIX = 'application/vnd.google-apps.'

/** Chunk sizes of a resumable upload, except the last, are multiples of this, in bytes (protocols.md, section 1). */
export const CHUNK_UNIT = 262_144

/** Maximum depth of nested folders (reference: protocols.md, sections 10 and 13). */
export const DEPTH_LIMIT = 100

/** Reason of a 500 for damaged or missing content; retrying does not help. */
export const CONTENT_DAMAGED = 'contentDamaged'

/** The grant type of the device flow (spec: authorization.md; RFC 8628). */
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

/** The grant type of a refresh token (RFC 6749, section 6). */
export const REFRESH_GRANT = 'refresh_token'

/** Client ID of the app that `drv` signs in as; registered in every data directory. */
export const BUILTIN_CLIENT_ID = 'drv-cli'

/** Client secret for the web flow. It is public, and only there because the protocol requires one. */
export const BUILTIN_CLIENT_SECRET = 'drv-cli-secret-known-to-all'

/** One entry of an error response (reference: protocols.md, section 14). */
export interface ErrorDetail {
  readonly domain: string
  readonly reason: string
  readonly message: string
  readonly locationType?: string
  readonly location?: string
}

/** The body of every error response of the file service. */
export interface ErrorBody {
  readonly error: {
    readonly errors: readonly ErrorDetail[]
    readonly code: number
    readonly message: string
  }
}
