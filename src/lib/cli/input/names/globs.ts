import type {Context} from '#lib/cli/context/context.js'
import {parseRemotePath, type RemotePath} from '#lib/transfer/remote/remote-path.js'
import {hasWildcards} from '#lib/transfer/remote/title-globs.js'
import {chooseAt, readRemotePath, withExitCodes} from './resolver.js'

/**
 * The arguments with globs such as `/photos/*.jpg` replaced by the paths they match, without duplicates.
 * The lists also request `fields`, given as dotted paths. Stores the matched records in
 * `context.matched`, so that the resolver needs no further requests. Throws like the resolver, also for a
 * glob without a match.
 */
export async function expandGlobs(
  context: Pick<Context, 'client' | 'io' | 'signal' | 'matched'>,
  words: readonly string[],
  fields: readonly string[] = [],
): Promise<string[]> {
  if (!words.some(word => globIn(word))) return [...words]
  const [{expandPathGlobs}, client] = await Promise.all([
    import('#lib/transfer/remote/path-globs.js'),
    context.client(),
  ])
  const options = {
    signal: context.signal,
    choose: chooseAt(context),
    fields: fields.map(field => field.replaceAll('.', '/')),
  }
  const all = words.map(async word => {
    const glob = globIn(word)
    if (!glob) return [word]
    const matches = await withExitCodes(() => expandPathGlobs(client, glob, options))
    for (const [path, known] of matches) context.matched?.set(path, known)
    return matches.map(([path]) => path)
  })
  return [...new Set((await Promise.all(all)).flat())]
}

/** The expanded arguments as remote paths. Throws `UsageError` for an invalid path. */
export function remotePathsOf(
  {matched}: Pick<Context, 'matched'>,
  words: readonly string[],
): RemotePath[] {
  return words.map(word => ({...readRemotePath(word), known: matched?.get(word)}))
}

/** The remote path of an argument that contains a glob; `undefined` for any other. */
function globIn(word: string): RemotePath | undefined {
  if (!hasWildcards(word)) return undefined
  try {
    const path = parseRemotePath(word)
    return path.names.some(hasWildcards) ? path : undefined
  } catch {
    return undefined
  }
}
