import {UsageError} from '#lib/cli/terminal/errors.js'
import type {ListedProfile} from '#lib/config/config.js'
import {nearest} from '#lib/platform/nearest.js'

/**
 * What a person and a program see of a sign-in, from the question to the stored token. The protocol
 * and the stores themselves belong to `../../auth`.
 */

/** Throws `UsageError` for the name of a profile that nobody made. */
export function checkProfile(name: string, profiles: readonly ListedProfile[]): void {
  const names = profiles.map(({profile}) => profile)
  if (names.includes(name)) return
  const meant = nearest(name, names)
  throw new UsageError(
    `There is no profile "${name}".`,
    meant ? `Did you mean ${meant}?` : `There are: ${names.join(', ')}.`,
  )
}
