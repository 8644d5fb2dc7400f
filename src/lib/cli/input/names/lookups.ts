import type {Context} from '#lib/cli/context/context.js'
import {shortTime} from '#lib/cli/terminal/cell.js'
import {chooseOne} from '#lib/cli/terminal/confirm.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import {sizeText} from '#lib/cli/terminal/units.js'
import type {Client, Page} from '#lib/client/client.js'
import {printable} from '#lib/platform/sanitize.js'
import {
  idInLink,
  isLink,
  parseRemotePath,
  type RemotePath,
  RemotePathError,
} from '#lib/transfer/remote/remote-path.js'
import type {Located} from '#lib/transfer/remote/resolve.js'
import {
  type Candidate,
  type Choose,
  refuseToChoose,
  ResolveError,
} from '#lib/transfer/remote/resolve-error.js'

/** From the words that people name things with to the IDs that the service knows. */
export type Lookups = ReturnType<typeof createLookups>

/**
 * Looks each word up once. Fails with `UsageError` for a word that names nothing, with
 * `CommandError('notFound')` for what is not there, and `'conflict'` where several things have the
 * name and nobody can be asked.
 */
export function createLookups(context: Context) {
  const found = new Map<string, Promise<string>>()
  /** Of each file, whoever of them is meant. */
  const permissions = new Map<string, Promise<Page[]>>()
  const choose = chooseAt(context)

  function once(key: string, look: (client: Client) => Promise<string>): Promise<string> {
    const known = found.get(key) ?? context.client().then(client => withPlaces(() => look(client)))
    found.set(key, known)
    return known
  }

  /** A path, a link or an ID. Only a path costs requests. */
  async function file(word: string): Promise<string> {
    const id = knownId(readRemotePath(word))
    if (id !== undefined) return id
    if (!found.has(`file ${word}`)) await prefetch([word])
    return found.get(`file ${word}`)!
  }

  /**
   * Looks up many words for `file` together, which costs nothing for them afterwards; what is wrong
   * with one of them is told by `file`. Fails with what concerns all, such as a refused token.
   */
  async function prefetch(words: readonly string[]): Promise<void> {
    const places = [...new Set(words)]
      .filter(word => !found.has(`file ${word}`))
      .flatMap(word => pathIn(word) ?? [])
    if (places.length === 0) return
    const locating = locatePlaces(context, places)
    for (const [index, {text}] of places.entries()) {
      const looking = withPlaces(async () => {
        const located = (await locating)[index]!
        if ('error' in located) throw located.error
        return located.found.entry.id
      })
      // Whoever needs it hears what is wrong.
      looking.catch(() => undefined)
      found.set(`file ${text}`, looking)
    }
    await locating
  }

  /** The shared drive of a name, where the service has said that there is none with that ID. */
  const driveNamed = (name: string) =>
    once(`drive ${name}`, async client => {
      const {findDriveNamed} = await import('#lib/transfer/remote/find-names.js')
      return (await findDriveNamed(client, name, choose)).id
    })

  return {
    file,
    prefetch,
    /** Paths, links and IDs with commas between them. */
    async files(words: string) {
      return (await Promise.all(listOf(words).map(file))).join(',')
    },
    /** `drive:NAME`, a name that can be no ID, a link or an ID. */
    async drive(word: string) {
      if (word.startsWith('id:')) return word.slice(3)
      if (isLink(word)) return idInLink(word) ?? file(word)
      const name = /^drive:(.+?)\/?$/s.exec(word)?.[1]
      return name === undefined && /^[\w-]*$/.test(word) ? word : driveNamed(name ?? word)
    },
    driveNamed,
    /** An e-mail address, a domain, `anyone` or an ID. */
    async permission(fileId: string, word: string) {
      if (word.startsWith('id:')) return word.slice(3)
      if (!/[@.]/.test(word) && word !== 'anyone') return word
      return once(`permission ${fileId} ${word}`, async client => {
        const {findPermission, permissionsOf} = await import('./permissions.js')
        const listing = permissions.get(fileId) ?? permissionsOf(client, fileId)
        permissions.set(fileId, listing)
        return findPermission(await listing, word, choose)
      })
    },
    /** `head` or an ID. */
    async revision(fileId: string, word: string) {
      if (word.startsWith('id:')) return word.slice(3)
      if (word !== 'head') return word
      return once(`revision ${fileId}`, async client => {
        const params = {fileId, fields: 'headRevisionId', supportsAllDrives: 'true'}
        const {headRevisionId} = (await client.call('files.get', {params})) ?? {}
        if (typeof headRevisionId === 'string') return headRevisionId
        throw new CommandError(
          'notFound',
          'The file has no head revision: it is a folder, a shortcut or an editor document.',
          'See what there is with `drv revisions list`.',
        )
      })
    },
  }
}

/** Where places lead, in their order, those that lead nowhere with why; throws what concerns all. */
export async function locatePlaces(
  context: Pick<Context, 'client' | 'io' | 'signal' | 'matched'>,
  places: readonly RemotePath[],
): Promise<Located[]> {
  if (places.length === 0) return []
  const {findRemotePaths} = await import('#lib/transfer/remote/resolve.js')
  const all = places.map(place => ({
    ...place,
    known: place.known ?? context.matched?.get(place.text),
  }))
  return findRemotePaths(await context.client(), all, chooseAt(context))
}

/** Reads a word that names a file or folder; throws `UsageError`. */
export function readRemotePath(word: string): RemotePath {
  try {
    return parseRemotePath(word)
  } catch (error) {
    throw error instanceof RemotePathError ? new UsageError(error.message, error.hint) : error
  }
}

/** The ID that a place has without any request, if it has one. */
function knownId({start, names}: RemotePath): string | undefined {
  if (names.length > 0) return undefined
  if (start.in === 'id') return start.id
  return start.in === 'myDrive' ? 'root' : undefined
}

/** The place that a word names, where that has to be looked up. */
function pathIn(word: string): RemotePath | undefined {
  try {
    const place = parseRemotePath(word)
    return knownId(place) === undefined ? place : undefined
  } catch {
    return undefined
  }
}

/** Several words: a comma counts where another word can begin behind it, for titles may have some. */
function listOf(words: string): string[] {
  return words.split(/,(?=\/|(?:drive|trash|shared|id|https?):|[\w-]+(?:,|$))/)
}

/**
 * From the words by which people name files, drives and permissions to their IDs: that lives here. How
 * a path is followed in the service belongs to `lib/transfer/remote`.
 */

/** Which of several things is meant: asked at a terminal, refused anywhere else. */
export function chooseAt({io, signal}: Pick<Context, 'io' | 'signal'>): Choose {
  if (!io.interactive) return refuseToChoose
  return async (way, candidates) =>
    chooseOne(
      `${printable(way)} is the name of several things. Which one?`,
      candidates.map(value => ({name: candidateLine(value), value})),
      io,
      signal,
    )
}

/** `1abc  /Reports/q3.pdf  5.2 KiB  2026-11-22 07:23`, with the kind in place of a size there is none of. */
export function candidateLine({id, path, kind, size, date}: Candidate): string {
  const what = size === undefined ? kind.replace(/^an? /, '') : sizeText(size)
  return [id, path, what, date === undefined ? '' : shortTime(date)]
    .map(text => printable(text))
    .filter(Boolean)
    .join('  ')
}

const EXITS = {ambiguous: 'conflict', missing: 'notFound', wrongKind: 'failed'} as const

/** Does something that follows places; gives its errors their exit codes. */
export async function withPlaces<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw placeError(error)
  }
}

/** The error of a place with its exit code; any other as it is. */
export function placeError(error: unknown): unknown {
  if (!(error instanceof ResolveError)) return error
  const {kind, message, hint, candidates} = error
  return new CommandError(EXITS[kind], message, hint, candidates.map(candidateLine))
}
