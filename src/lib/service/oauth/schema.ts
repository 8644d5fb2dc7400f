/** The tables of the authorization service. Times are Unix milliseconds; secrets are kept as SHA-256 only. */
export const oauthTables = `
`
