/**
 * The address in a text, resolved against `base` where one is given; `undefined` for a text that is no
 * address. `URL.canParse` of Node 20 takes addresses with umlauts for malformed once V8 has compiled
 * its caller, so it is not used.
 */
export function parseUrl(text: string, base?: string | URL): URL | undefined {
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}
