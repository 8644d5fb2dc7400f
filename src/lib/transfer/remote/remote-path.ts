import {idProblem} from '#lib/api/path-values.js'
import type {Page} from '#lib/client/client.js'
import {breaksLine} from '#lib/platform/sanitize.js'
import {parseUrl} from '#lib/platform/values.js'
import type {RemoteEntry} from '#lib/transfer/tree/entries.js'

/** Whether a word is a link rather than a path or an ID. */
export function isLink(text: string): boolean {
  return /^https?:\/\//i.test(text)
}

/** What stands in front of an ID in the path of a link: `/file/d/ID/view`, `/drive/u/0/folders/ID`. */
const BEFORE_ID = /\/(?:d|folders|files|open)\/([^/]+)/

/**
 * The ID in a link to a file or folder: the service's own `alternateLink` and `selfLink`, and what
 * browsers show. The host does not matter, since nothing is sent there. `undefined` for a link
 * without one.
 */
export function idInLink(link: string): string | undefined {
  const url = parseUrl(link)
  if (!url) return undefined
  const {pathname, searchParams} = url
  const id = BEFORE_ID.exec(pathname)?.[1] ?? searchParams.get('id')
  return id !== null && id !== undefined && /^[\w-]+$/.test(id) ? id : undefined
}

/** Where the names of a place are looked up. */
export type Start =
  | {readonly in: 'id'; readonly id: string}
  | {readonly in: 'myDrive' | 'trash' | 'shared'}
  | {readonly in: 'drive'; readonly name: string}

/** Where a path leads. */
export interface Found {
  /** The last thing on the way that is there. */
  readonly entry: RemoteEntry
  /** The names behind it that are not there. */
  readonly missing: readonly string[]
  /** The shared drive it is in. */
  readonly driveId?: string
  /** Its record, where a glob has found it, with the fields that were asked for. */
  readonly record?: Page
}

/** Something in the service as people name it: by path, by a link from a browser, or by its ID. */
export interface RemotePath {
  readonly start: Start
  /** Titles of folders, and last the thing itself; none where the start is meant. */
  readonly names: readonly string[]
  /** What is inside is meant, not the thing itself: `/Reports/`, or the top of My Drive. */
  readonly isContents: boolean
  /** The words it was written in. */
  readonly text: string
  /** Where it leads, if that is known already. */
  readonly known?: Found
}

/**
 * Reads a word that names a file or folder:
 *
 * - `/Reports/2026/q3.pdf` in My Drive, `drive:Finance/2026` in a shared drive, `trash:/old.txt` and
 *   `shared:/NAME`; nothing in it is special but the slash, and one at its end means the contents;
 * - a link, of any host, for only the ID is taken from it;
 * - an ID, which is letters, digits, `-` and `_`, also with names below it: `ID/Reports`; or `id:ID`,
 *   whatever it consists of.
 *
 * Throws `RemotePathError` for anything else, and for what must not stand where an ID does.
 */
export function parseRemotePath(text: string): RemotePath {
  if (text === '') throw new RemotePathError('An empty text names no file.')
  if (isLink(text)) {
    const id = idInLink(text)
    if (id === undefined) {
      throw new RemotePathError(`There is no ID of a file in the link ${text}.`)
    }
    return {start: checkedId(id, text), names: [], isContents: false, text}
  }
  if (text.startsWith('id:')) {
    return {start: checkedId(text.slice(3), text), names: [], isContents: false, text}
  }
  const [first = '', ...rest] = text.split('/')
  const isContents = rest.at(-1) === ''
  const names = isContents ? rest.slice(0, -1) : rest
  const {start, name} = startOf(first, text)
  const all = name === undefined ? names : [name, ...names]
  if (all.some(step => step === '' || step === '.' || step === '..')) {
    throw new RemotePathError(`${text} is no path: between two slashes stands a name.`)
  }
  if (all.length === 0 && (start.in === 'trash' || start.in === 'shared')) {
    throw new RemotePathError(`${text} names no file: write ${start.in}:/NAME.`)
  }
  const isTop = start.in === 'myDrive' && all.length === 0
  return {start, names: all, isContents: isContents || isTop, text}
}

/** What stands before the first slash, and the first name where that is in it: `trash:old.txt`. */
function startOf(first: string, text: string): {readonly start: Start; readonly name?: string} {
  if (first === '' || first === 'root') return {start: {in: 'myDrive'}}
  const [, scheme, name = ''] = /^(drive|trash|shared):(.*)$/s.exec(first) ?? []
  if (scheme === 'drive') {
    if (name === '')
      throw new RemotePathError(`${text} names no shared drive: write drive:NAME/PATH.`)
    return {start: {in: 'drive', name}}
  }
  if (scheme !== undefined) {
    return {start: {in: scheme as 'trash' | 'shared'}, ...(name !== '' && {name})}
  }
  if (/^\.{1,2}$/.test(first)) {
    throw new RemotePathError(
      `${text} is a path of this machine.`,
      `Remote paths start with a slash: ${text.replace(/^\.{1,2}\/?/, '/')}`,
    )
  }
  const start = checkedId(first, text)
  if (/^[\w-]+$/.test(first)) return {start}
  throw new RemotePathError(
    `${text} is no path, link or ID of a file.`,
    `Remote paths start with a slash: /${text}. To name it by its ID, write id:${text}.`,
  )
}

function checkedId(id: string, text: string): Start {
  const problem = idProblem('fileId', id)
  if (problem) throw new RemotePathError(`The ID in ${JSON.stringify(text)} ${problem.text}.`)
  return {in: 'id', id}
}

/** Whether a title can be part of a path; one with a line break is no part of a single line. */
export function isPathName(title: string): boolean {
  return !['', '.', '..'].includes(title) && !title.includes('/') && !breaksLine(title)
}

/** The text names no place. `message` and `hint` are whole sentences. */
export class RemotePathError extends Error {
  constructor(
    message: string,
    readonly hint = 'Write a path such as /Folder/NAME, a link from a browser, or an ID.',
  ) {
    super(message)
    this.name = 'RemotePathError'
  }
}

/**
 * Whether a word can only be a name, such as `budget` or `q3 report.pdf`: neither a path nor a link, and
 * not as long and mixed as the IDs that services make.
 */
export function isBareWord(text: string): boolean {
  if (['', '-', 'root'].includes(text) || text.includes('/')) return false
  return !/^(?:drive|trash|shared|id|https?):/.test(text) && !looksLikeId(text)
}

function looksLikeId(text: string): boolean {
  const signs = [/^[\w-]{19,}$/, /\d/, /[a-z]/, /[A-Z]/]
  return signs.every(sign => sign.test(text))
}

/** What a file's record has to tell for its path. */
export const PATH_FIELDS = ['id', 'title', 'driveId', 'labels/trashed', 'parents(id,isRoot)']
