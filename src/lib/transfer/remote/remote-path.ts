import {idProblem} from '#lib/api/path-values.js'
import type {Page} from '#lib/client/client.js'
import {breaksLine} from '#lib/platform/sanitize.js'
import {parseUrl} from '#lib/platform/values.js'
import type {RemoteEntry} from '#lib/transfer/tree/entries.js'

/** Whether a word is a link. */
export function isLink(text: string): boolean {
  return /^https?:\/\//i.test(text)
}

/** The path segments before an ID in a link: `/file/d/ID/view`, `/drive/u/0/folders/ID`. */
const BEFORE_ID = /\/(?:d|folders|files|open)\/([^/]+)/

/**
 * The ID in a link to a file or folder, in the forms of `alternateLink`, `selfLink` and browsers;
 * `undefined` without one. The host is ignored, since nothing is sent to it.
 */
export function idInLink(link: string): string | undefined {
  const url = parseUrl(link)
  if (!url) return undefined
  const {pathname, searchParams} = url
  const id = BEFORE_ID.exec(pathname)?.[1] ?? searchParams.get('id')
  return id !== null && id !== undefined && /^[\w-]+$/.test(id) ? id : undefined
}

/** Where to start resolving the names of a path. */
export type Start =
  | {readonly in: 'id'; readonly id: string}
  | {readonly in: 'myDrive' | 'trash' | 'shared'}
  | {readonly in: 'drive'; readonly name: string}

/** The result of resolving a path. */
export interface ResolvedPath {
  /** The last existing entry of the path. */
  readonly entry: RemoteEntry
  /** The names after it that do not exist. */
  readonly missing: readonly string[]
  /** The shared drive it is in. */
  readonly driveId?: string
  /** The IDs of what leads to it, folders and shortcuts; missing if it was named by its ID. */
  readonly above?: readonly string[]
  /** Its record with the requested fields, if a glob matched it. */
  readonly record?: Page
}

/** A path, link or ID of something in the service. */
export interface RemotePath {
  readonly start: Start
  /** Titles of folders, and last the entry itself; empty if `start` is meant. */
  readonly names: readonly string[]
  /** Whether the contents are meant, as in `/Reports/`, or the top of My Drive. */
  readonly isContents: boolean
  /** The text as typed. */
  readonly text: string
  /** The result of resolving it, if already known. */
  readonly known?: ResolvedPath
}

/**
 * Parses a word that names a file or folder:
 *
 * - a path: `/Reports/2026/q3.pdf` in My Drive, `drive:Finance/2026` in a shared drive, `trash:/old.txt`
 *   or `shared:/NAME`; only the slash is special, and a trailing one means the contents;
 * - a link of any host; only its ID is used;
 * - an ID of letters, digits, `-` and `_`, optionally with names: `ID/Reports`; or any ID as `id:ID`.
 *
 * Throws `RemotePathError` for anything else and for invalid IDs.
 */
export function parseRemotePath(text: string): RemotePath {
  if (text === '') throw new RemotePathError('The path is empty.')
  if (isLink(text)) {
    const id = idInLink(text)
    if (id === undefined) {
      throw new RemotePathError(`The link ${text} contains no file ID.`)
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
    throw new RemotePathError(`Invalid path ${text}: a name must not be empty, "." or "..".`)
  }
  if (all.length === 0 && (start.in === 'trash' || start.in === 'shared')) {
    throw new RemotePathError(`${text} does not name a file. Write ${start.in}:/NAME.`)
  }
  const isTop = start.in === 'myDrive' && all.length === 0
  return {start, names: all, isContents: isContents || isTop, text}
}

/** The start of a path, and the first name if it is part of the same segment: `trash:old.txt`. */
function startOf(first: string, text: string): {readonly start: Start; readonly name?: string} {
  if (first === '' || first === 'root') return {start: {in: 'myDrive'}}
  const [, scheme, name = ''] = /^(drive|trash|shared):(.*)$/s.exec(first) ?? []
  if (scheme === 'drive') {
    if (name === '')
      throw new RemotePathError(`${text} does not name a shared drive. Write drive:NAME/PATH.`)
    return {start: {in: 'drive', name}}
  }
  if (scheme !== undefined) {
    return {start: {in: scheme as 'trash' | 'shared'}, ...(name !== '' && {name})}
  }
  if (/^\.{1,2}$/.test(first)) {
    throw new RemotePathError(
      `${text} is a local path.`,
      `Remote paths start with a slash: ${text.replace(/^\.{1,2}\/?/, '/')}`,
    )
  }
  const start = checkedId(first, text)
  if (/^[\w-]+$/.test(first)) return {start}
  throw new RemotePathError(
    `${text} is not a remote path, link or file ID.`,
    `Remote paths start with a slash: /${text}. To use an ID, write id:${text}.`,
  )
}

function checkedId(id: string, text: string): Start {
  const problem = idProblem('fileId', id)
  if (problem)
    throw new RemotePathError(`Invalid ID in ${JSON.stringify(text)}: it ${problem.text}.`)
  return {in: 'id', id}
}

/** Whether a title can be part of a path; line breaks would split a line-based format. */
export function isPathName(title: string): boolean {
  return !['', '.', '..'].includes(title) && !title.includes('/') && !breaksLine(title)
}

/** An invalid remote path. `message` and `hint` are sentences. */
export class RemotePathError extends Error {
  constructor(
    message: string,
    readonly hint = 'Pass a path such as /Folder/NAME, a link from a browser, or an ID.',
  ) {
    super(message)
    this.name = 'RemotePathError'
  }
}

/**
 * Whether a word can only be a name, such as `budget` or `q3 report.pdf`: not a path or link, and not as
 * long and mixed as an ID.
 */
export function isBareWord(text: string): boolean {
  if (['', '-', '.', 'root'].includes(text) || text.includes('/')) return false
  return !/^(?:drive|trash|shared|id|https?):/.test(text) && !looksLikeId(text)
}

function looksLikeId(text: string): boolean {
  const signs = [/^[\w-]{19,}$/, /\d/, /[a-z]/, /[A-Z]/]
  return signs.every(sign => sign.test(text))
}

/** The fields of a record that its path depends on. */
export const PATH_FIELDS = ['id', 'title', 'driveId', 'labels/trashed', 'parents(id,isRoot)']
