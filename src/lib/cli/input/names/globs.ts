import type {Context} from '#lib/cli/context/context.js'
import {parseRemotePath, type RemotePath} from '#lib/transfer/remote/remote-path.js'
import {hasWildcards} from '#lib/transfer/remote/title-globs.js'
import {chooseAt, readRemotePath, withPlaces} from './lookups.js'

/**
 * The same words of a command line, with what globs match in their place: `/photos/*.jpg`. `fields` of
 * what is matched are asked for with the list, as paths. What is found is kept for the resolver, so that
 * nothing is looked up again. Fails as the lookups do, also where a glob matches nothing.
 */
export async function expandGlobs(
  context: Pick<Context, 'client' | 'io' | 'signal' | 'matched'>,
  words: readonly string[],
  fields: readonly string[] = [],
): Promise<string[]> {
  if (!words.some(word => globIn(word))) return [...words]
  const [{matchPath}, client] = await Promise.all([
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
    const matches = await withPlaces(() => matchPath(client, glob, options))
    for (const [path, known] of matches) context.matched?.set(path, known)
    return matches.map(([path]) => path)
  })
  return [...new Set((await Promise.all(all)).flat())]
}

/** Such words as places to resolve. Throws `UsageError` for a word that names nothing. */
export function remotePathsOf(
  {matched}: Pick<Context, 'matched'>,
  words: readonly string[],
): RemotePath[] {
  return words.map(word => ({...readRemotePath(word), known: matched?.get(word)}))
}

/** The place that a word names, where a name of it is a glob. */
function globIn(word: string): RemotePath | undefined {
  if (!hasWildcards(word)) return undefined
  try {
    const place = parseRemotePath(word)
    return place.names.some(hasWildcards) ? place : undefined
  } catch {
    return undefined
  }
}
