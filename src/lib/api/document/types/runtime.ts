import text from './client-runtime.ts?raw'

/**
 * What each module brings along: plain `fetch`, and no package. It stands before the functions that
 * are made from the document, and no type of the document takes a name that it uses.
 */
export const runtime = text.trimEnd().replace('export function connect', 'function connect')
