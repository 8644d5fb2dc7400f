/** What client and service must write and read alike on the wire, beyond the description. */

export const JSON_TYPE = 'application/json; charset=UTF-8'
export const FOLDER_TYPE = 'application/vnd.google-apps.folder'
export const SHORTCUT_TYPE = 'application/vnd.google-apps.shortcut'
/** Types that start so have no bytes of their own: folders, shortcuts, editor documents. */
export const EDITOR_TYPE_PREFIX = 'application/vnd.google-apps.'

/** Chunks of a resumable upload, but for the last, are multiples of this many bytes (protocols.md, section 1). */
export const CHUNK_UNIT = 262_144

/** How many folders may lie below one another (reference: protocols.md, sections 10 and 13). */
export const DEPTH_LIMIT = 100

/** The reason of a 500 for content that the service has damaged or not at all: it will not get better. */
export const CONTENT_DAMAGED = 'contentDamaged'

/** The grant type of the device flow (spec: authorization.md; RFC 8628). */
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

/** The grant type of a refresh token (RFC 6749, section 6). */
export const REFRESH_GRANT = 'refresh_token'

/** The client ID of the app that `drv` signs in as; every data directory has it. */
export const BUILTIN_CLIENT_ID = 'drv-cli'

/** Its secret in the web flow. Whoever has `drv` has it, so it keeps nothing secret: it completes the protocol. */
export const BUILTIN_CLIENT_SECRET = 'drv-cli-secret-known-to-all'

/** One problem of an error answer (reference: protocols.md, section 14). */
export interface ErrorDetail {
  readonly domain: string
  readonly reason: string
  readonly message: string
  readonly locationType?: string
  readonly location?: string
}

/** The body of every error answer of the file service. */
export interface ErrorBody {
  readonly error: {
    readonly errors: readonly ErrorDetail[]
    readonly code: number
    readonly message: string
  }
}
