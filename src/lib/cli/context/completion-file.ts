import {rm} from 'node:fs/promises'
import {join} from 'node:path'
import type {Settings} from '#lib/config/settings.js'
import {jsonFormat, nameFromKey, type StateFile, stateFile} from '#lib/platform/state-file.js'
import {isObject} from '#lib/platform/values.js'

/**
 * What completion keeps for a while, below the cache directory: a directory a profile, in it files for
 * each account. Only the user can read them; without them everything works, and takes longer.
 */

/** A cache of completion, a record by names. */
export type CompletionFile = StateFile<Readonly<Record<string, unknown>>>

/** The file `name` of an account; `caches` is drv's cache directory, where there is one. */
export function completionFile(
  caches: string | undefined,
  settings: Pick<Settings, 'profile' | 'binding' | 'environmentToken' | 'signIn'>,
  name: string,
): CompletionFile {
  const directory = caches && directoryOf(caches, settings.profile)
  const account = nameFromKey(accountKey(settings), 32)
  return stateFile({
    file: directory && join(directory, `${name}-${account}.json`),
    ...jsonFormat(isObject),
    isPrivate: true,
    sync: false,
  })
}

/** What tells one account at a service from another; it may hold a token. */
export function accountKey({
  binding,
  environmentToken,
  signIn,
}: Pick<Settings, 'binding' | 'environmentToken' | 'signIn'>): readonly string[] {
  return [binding, environmentToken ?? signIn?.user?.id ?? signIn?.user?.login ?? '']
}

/** Removes all completion files of a profile. */
export async function removeCompletionFiles(
  caches: string | undefined,
  profile: string,
): Promise<void> {
  if (caches === undefined) return
  await rm(directoryOf(caches, profile), {recursive: true, force: true}).catch(() => undefined)
}

function directoryOf(caches: string, profile: string): string {
  return join(caches, 'completion', nameFromKey([profile], 32))
}
