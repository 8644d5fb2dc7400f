import type {Settings} from '#lib/config/settings.js'
import {keptFile} from './completion-file.js'

/**
 * Whether the keychain answers without asking a person something: nobody can tell beforehand, so a Tab
 * asks it only where a command has got its token from it a little while ago.
 */

/** How long a keychain is taken to be open, in milliseconds; it is noted anew after half of that. */
const OPEN = 60 * 60_000

/** Whether a command has got the token of a profile from the keychain; `now` is in milliseconds since 1970. */
export async function isKeychainOpen(
  caches: string | undefined,
  settings: Settings,
  now: number,
): Promise<boolean> {
  return isFresh(await keptFile(caches, settings, 'keychain').written(), now, OPEN)
}

/** Notes that the keychain has given the token. */
export async function noteKeychain(
  caches: string | undefined,
  settings: Settings,
  now: number,
): Promise<void> {
  const kept = keptFile(caches, settings, 'keychain')
  if (!isFresh(await kept.written(), now, OPEN / 2)) await kept.write({})
}

function isFresh(written: number | undefined, now: number, limit: number): boolean {
  return written !== undefined && now >= written - 1000 && now - written < limit
}
