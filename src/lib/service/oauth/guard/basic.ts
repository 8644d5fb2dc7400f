/** User and password of Basic authentication (RFC 7617); `undefined` for any other header. */
export function readBasic(
  authorization: string | undefined,
): {user: string; password: string} | undefined {
  const encoded = /^\s*basic\s+(\S+)\s*$/i.exec(authorization ?? '')?.[1]
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, 'base64').toString()
  const colon = text.indexOf(':')
  return colon < 0 ? undefined : {user: text.slice(0, colon), password: text.slice(colon + 1)}
}
