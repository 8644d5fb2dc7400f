import {idProblem} from '../../api/pathvalues.js'

/** A place in the service as people write it: a path from the top of My Drive, or an ID. */
export interface RemotePath {
  /** An ID, or `root`; the names below are looked up from there. */
  readonly start: string
  readonly names: readonly string[]
  /** What is inside is meant, not the thing itself: `/Reports/`, or the top of My Drive. */
  readonly isContents: boolean
  /** The words it was written in. */
  readonly text: string
}

/**
 * Reads `/Reports/2026`, `ID`, `ID/Reports` or `/`. A slash at the end means the contents. Throws
 * `PlaceError` for names that no path has, and for what cannot be an ID.
 */
export function parseRemotePath(text: string): RemotePath {
  const [first = '', ...rest] = text.split('/')
  const isContents = rest.at(-1) === ''
  const names = isContents ? rest.slice(0, -1) : rest
  const wrong = names.find(name => name === '' || name === '.' || name === '..')
  if (text === '' || wrong !== undefined) {
    const words = text === '' ? 'An empty text names no folder' : `${text} is no path`
    throw new RemotePathError(`${words}: write /Folder/Folder, or an ID.`)
  }
  const start = first || 'root'
  const problem = idProblem('fileId', start)
  if (problem) throw new RemotePathError(`The ID in ${JSON.stringify(text)} ${problem.text}.`)
  return {start, names, isContents: isContents || (start === 'root' && names.length === 0), text}
}

/** The text names no place. `message` is a whole sentence. */
export class RemotePathError extends Error {
  override readonly name = 'PlaceError'
}
