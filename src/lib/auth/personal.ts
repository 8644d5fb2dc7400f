import {ServiceError} from '#lib/client/errors.js'
import type {Who} from '#lib/client/who.js'
import type {TokenKind} from '#lib/config/config.js'
import type {Settings} from '#lib/config/settings.js'
import {printable} from '#lib/platform/sanitize.js'
import {SetupError} from '#lib/platform/setup-error.js'
import type {NotOfApp} from './check.js'
import type {Checkup} from './checkup.js'

/** Tokens that people make for themselves, without an app (spec: authorization.md, Authentication 6). */

/** Of which kind a token is; `isGiven`: somebody brought it, and so no app got it just now. */
export function tokenKindOf({clientId}: Who, isGiven: boolean): TokenKind {
  return isGiven && clientId === undefined ? 'personal' : 'app'
}

/** Where a person sees and revokes such tokens. */
export function tokensPageAddress({
  embedded,
  authUrl,
}: Pick<Settings, 'embedded' | 'authUrl'>): string {
  const path = '/settings/tokens'
  // The pages of the service inside a command go with it.
  return embedded ? `${path} of \`drv local serve\`` : `${authUrl}${path}`
}

/** What there is to say of a personal token, instead of what its app is told; `login` is what is noted. */
export function personalToken({user, problem}: Checkup, page: string, login?: string): Error {
  if (user) {
    return new SetupError(
      'sign-in',
      `This is a personal access token of ${user.login}, and it works. Its owner sees and revokes it at ${page}; \`drv auth status\` shows what it may do.`,
    )
  }
  if (!(problem instanceof ServiceError) || problem.status !== 401) return problem!
  const owner = login === undefined ? '' : ` of ${login}`
  return new SetupError(
    'sign-in',
    `The service does not accept the personal access token${owner} any more: it was revoked, or has expired. Make a new one at ${page}, and keep it with \`drv auth login --with-token\`.`,
  )
}

/**
 * What there is to say of a token that the app `clientId` did not get: `error` where nothing better
 * is known of it. `kind` is what is noted.
 */
export function otherToken(
  error: NotOfApp,
  {user}: Checkup,
  {clientId, kind}: {readonly clientId: string; readonly kind?: TokenKind},
  page: string,
): Error {
  if (!user || user.clientId === clientId) return error
  if (user.clientId === undefined) return kind === 'app' ? error : personalToken({user}, page)
  return new SetupError(
    'sign-in',
    `The app ${user.clientId} got this token, not ${printable(clientId, 100)}. Set DRV_CLIENT_ID and DRV_CLIENT_SECRET to those of that app.`,
  )
}
