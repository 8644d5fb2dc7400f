/** What `WWW-Authenticate` begins with in the refusals of the API (RFC 6750, section 3). */
export const REALM = 'Bearer realm="drv"'

/** Where the details of a refusal say that the fault lies. */
export const AT_HEADER = {locationType: 'header', location: 'Authorization'} as const
