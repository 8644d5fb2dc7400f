import type {Context} from '#lib/cli/context/context.js'
import {shortTime} from '#lib/cli/terminal/cell.js'
import {chooseOne} from '#lib/cli/terminal/confirm.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import {sizeText} from '#lib/cli/terminal/units.js'
import type {BatchCall, Client, Page} from '#lib/client/client.js'
import {isNotFound} from '#lib/client/errors.js'
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
  type Choose,
  refuseToChoose,
  type ResolveCandidate,
  ResolveError,
} from '#lib/transfer/remote/resolve-error.js'

/** Resolves paths, links and names to IDs. `lib/transfer/remote` does the requests. */
export type Resolver = ReturnType<typeof createResolver>

/**
 * A resolver that requests each name once. Throws `UsageError` for an invalid name,
 * `CommandError('notFound')` for an item that does not exist, and `'conflict'` for an ambiguous name
 * outside a terminal.
 */
export function createResolver(context: Context) {
  const found = new Map<string, Promise<string>>()
  /** The permissions of each file. */
  const permissions = new Map<string, Promise<Page[]>>()
  const choose = chooseAt(context)

  function once(key: string, resolve: (client: Client) => Promise<string>): Promise<string> {
    const known =
      found.get(key) ?? context.client().then(client => withExitCodes(() => resolve(client)))
    found.set(key, known)
    return known
  }

  /** The ID for a path, a link or an ID. Only a path needs requests. */
  async function file(word: string): Promise<string> {
    const id = knownId(readRemotePath(word))
    if (id !== undefined) return id
    if (!found.has(`file ${word}`)) await prefetch([word])
    return found.get(`file ${word}`)!
  }

  /**
   * Resolves many arguments of `file` at once and caches the results. `file` throws the error of a single
   * one; this throws only errors that concern all, such as a rejected token.
   */
  async function prefetch(words: readonly string[]): Promise<void> {
    const paths = [...new Set(words)]
      .filter(word => !found.has(`file ${word}`))
      .flatMap(word => pathIn(word) ?? [])
    if (paths.length === 0) return
    const locating = locateRemotePaths(context, paths)
    for (const [index, {text}] of paths.entries()) {
      const pending = withExitCodes(async () => {
        const located = (await locating)[index]!
        if ('error' in located) throw located.error
        return located.found.entry.id
      })
      // `file` rethrows it; this only prevents an unhandled rejection.
      pending.catch(() => undefined)
      found.set(`file ${text}`, pending)
    }
    await locating
  }

  /** The ID of the shared drive with a name, for names that look like an ID. */
  const driveNamed = (name: string) =>
    once(`drive ${name}`, async client => {
      const {findDriveNamed} = await import('#lib/transfer/remote/find-names.js')
      return (await findDriveNamed(client, name, choose)).id
    })

  return {
    file,
    prefetch,
    /** Prepares resolving the names of changes. */
    async announce(calls: readonly BatchCall[]) {
      const {announce} = await context.client()
      for (const call of calls) await announce?.(call)
    },
    /** The IDs for paths, links and IDs separated by commas. */
    async files(words: string) {
      return (await Promise.all(listOf(words).map(file))).join(',')
    },
    /** The shared drive's ID for `drive:NAME`, a name that cannot be an ID, a link or an ID. */
    async drive(word: string) {
      if (word.startsWith('id:')) return word.slice(3)
      if (isLink(word)) return idInLink(word) ?? file(word)
      const name = /^drive:(.+?)\/?$/s.exec(word)?.[1]
      return name === undefined && /^[\w-]*$/.test(word) ? word : driveNamed(name ?? word)
    },
    driveNamed,
    /** The ID of the shared drive with an ID or a name, after asking the service which of them it is. */
    driveKnown: (word: string) =>
      once(`drive or name ${word}`, async client => {
        const params = {driveId: word, fields: 'id'}
        try {
          await client.call('drives.get', {params})
          return word
        } catch (error) {
          if (isNotFound(error)) return driveNamed(word)
          throw error
        }
      }),
    /** The permission ID for an email address, a domain, `anyone` or an ID. */
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
    /** The revision ID for `head` or an ID. */
    async revision(fileId: string, word: string) {
      if (word.startsWith('id:')) return word.slice(3)
      if (word !== 'head') return word
      return once(`revision ${fileId}`, async client => {
        const params = {fileId, fields: 'headRevisionId', supportsAllDrives: 'true'}
        const {headRevisionId} = (await client.call('files.get', {params})) ?? {}
        if (typeof headRevisionId === 'string') return headRevisionId
        throw new CommandError(
          'notFound',
          'No head revision: the item is a folder, a shortcut or an editor document.',
          'Run `drv revisions list` to see its revisions.',
        )
      })
    },
  }
}

/** The items at remote paths, in order, or the error of each; throws only errors that concern all. */
export async function locateRemotePaths(
  context: Pick<Context, 'client' | 'io' | 'signal' | 'matched'>,
  paths: readonly RemotePath[],
): Promise<Located[]> {
  if (paths.length === 0) return []
  const {findRemotePaths} = await import('#lib/transfer/remote/resolve.js')
  const all = paths.map(path => ({
    ...path,
    known: path.known ?? context.matched?.get(path.text),
  }))
  return findRemotePaths(await context.client(), all, chooseAt(context))
}

/** Parses a remote path, link or ID; throws `UsageError`. */
export function readRemotePath(word: string): RemotePath {
  try {
    return parseRemotePath(word)
  } catch (error) {
    throw error instanceof RemotePathError ? new UsageError(error.message, error.hint) : error
  }
}

/** The ID of a remote path that needs no request; `undefined` for any other. */
function knownId({start, names}: RemotePath): string | undefined {
  if (names.length > 0) return undefined
  if (start.in === 'id') return start.id
  return start.in === 'myDrive' ? 'root' : undefined
}

/** The remote path of an argument, if resolving it needs requests. */
function pathIn(word: string): RemotePath | undefined {
  try {
    const path = parseRemotePath(word)
    return knownId(path) === undefined ? path : undefined
  } catch {
    return undefined
  }
}

/** The parts of a comma-separated list. Titles can contain commas, so only a comma before a possible path, link or ID counts. */
function listOf(words: string): string[] {
  return words.split(/,(?=\/|(?:drive|trash|shared|id|https?):|[\w-]+(?:,|$))/)
}

/** Chooses among items with the same name: prompts at a terminal, throws elsewhere. */
export function chooseAt({io, signal}: Pick<Context, 'io' | 'signal'>): Choose {
  if (!io.interactive) return refuseToChoose
  return async (way, candidates) =>
    chooseOne(
      `Several items are named ${printable(way)}. Which one?`,
      candidates.map(value => ({name: candidateLine(value), value})),
      io,
      signal,
    )
}

/** `1abc  /Reports/q3.pdf  5.2 KiB  2026-11-22 07:23`; without a size, the kind takes its place. */
export function candidateLine({id, path, kind, size, date}: ResolveCandidate): string {
  const what = size === undefined ? kind.replace(/^an? /, '') : sizeText(size)
  return [id, path, what, date === undefined ? '' : shortTime(date)]
    .map(text => printable(text))
    .filter(Boolean)
    .join('  ')
}

const EXITS = {ambiguous: 'conflict', missing: 'notFound', wrongKind: 'failed'} as const

/** Runs `work`, and converts a `ResolveError` to a `CommandError`. */
export async function withExitCodes<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw withExitCode(error)
  }
}

/** A `ResolveError` as a `CommandError` with its exit code; any other error unchanged. */
export function withExitCode(error: unknown): unknown {
  if (!(error instanceof ResolveError)) return error
  const {kind, message, hint, candidates} = error
  return new CommandError(EXITS[kind], message, hint, candidates.map(candidateLine))
}
