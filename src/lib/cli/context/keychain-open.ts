import type {Settings} from '#lib/config/settings.js'
import {isFresh} from '#lib/platform/state-file.js'
import {type CompletionFile, completionFile} from './completion-file.js'

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
  return isFresh(openedAt(completionFile(caches, settings, 'keychain')), now, OPEN)
}

/** Notes that the keychain has given the token. */
export async function noteKeychain(
  caches: string | undefined,
  settings: Settings,
  now: number,
): Promise<void> {
  const file = completionFile(caches, settings, 'keychain')
  if (!isFresh(openedAt(file), now, OPEN / 2)) await file.tryWrite({at: now})
}

function openedAt(file: CompletionFile): number {
  return Number(file.read()?.at)
}
