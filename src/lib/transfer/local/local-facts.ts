import {lstatSync, type Stats} from 'node:fs'

/** The stats of a path, without following a link; `undefined` if nothing is there. Throws other system errors. */
export function localFacts(path: string): Stats | undefined {
  try {
    return lstatSync(path)
  } catch (error) {
    const {code} = error as NodeJS.ErrnoException
    // A folder of the path may have been replaced by a file.
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw error
  }
}
