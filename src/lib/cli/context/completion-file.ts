import {rm, stat} from 'node:fs/promises'
import {join} from 'node:path'
import {crc32} from 'node:zlib'
import {isObject} from '#lib/platform/values.js'
import {parseJson} from '#lib/platform/parse-json.js'
import {readPrivateFile, writePrivateFile} from '#lib/platform/private-file.js'
import type {Settings} from '#lib/config/settings.js'

/**
 * What completion keeps for a while, below the cache directory: a directory a profile, in it files for
 * each account. Only the user can read them; without them everything works, and takes longer.
 */

type Whose = Pick<Settings, 'profile' | 'binding' | 'environmentToken' | 'signIn'>

/** One file of what is kept. */
export interface Kept {
  /** What is in it; an empty record where there is none. */
  read(): Readonly<Record<string, unknown>>
  /** Nothing is told of a failure. */
  write(content: Readonly<Record<string, unknown>>): Promise<void>
  /** Milliseconds since 1970 at which it was written; `undefined` where there is none. */
  written(): Promise<number | undefined>
}

/** The file `name` of an account; `caches` is drv's cache directory, where there is one. */
export function keptFile(
  caches: string | undefined,
  {profile, binding, environmentToken, signIn}: Whose,
  name: string,
): Kept {
  const account = environmentToken ?? signIn?.user?.id ?? signIn?.user?.login ?? ''
  const directory = caches && directoryOf(caches, profile)
  const file =
    directory === undefined
      ? undefined
      : join(directory, `${name}-${hashOf(binding, account)}.json`)
  return {
    read() {
      const content = file === undefined ? undefined : readPrivateFile(file)
      const value = content && parseJson(content.toString('utf8'))
      return isObject(value) ? value : {}
    },
    async write(content) {
      if (file === undefined) return
      // Where nothing can be written it is looked up again.
      await writePrivateFile(file, JSON.stringify(content)).catch(() => undefined)
    },
    async written() {
      if (file === undefined) return undefined
      return (await stat(file).catch(() => undefined))?.mtimeMs
    },
  }
}

/** Removes all that is kept for a profile. */
export async function emptyKept(caches: string | undefined, profile: string): Promise<void> {
  if (caches === undefined) return
  await rm(directoryOf(caches, profile), {recursive: true, force: true}).catch(() => undefined)
}

function directoryOf(caches: string, profile: string): string {
  return join(caches, 'completion', hashOf(profile))
}

/** Short, so that it tells nothing of a token; what makes better ones takes longer to load than all the rest. */
function hashOf(...texts: readonly string[]): string {
  return crc32(JSON.stringify(texts)).toString(16).padStart(8, '0')
}
