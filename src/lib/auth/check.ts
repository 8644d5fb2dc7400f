import {isObject} from '#lib/api/validate.js'
import {BUILTIN_CLIENT_ID} from '#lib/api/wire.js'
import {ServiceError} from '#lib/client/errors.js'
import {readRecord} from '#lib/client/read-response.js'
import {createSender, type SenderOptions} from '#lib/client/request.js'
import {fetchTokenOwner, type TokenOwner} from '#lib/client/token-owner.js'
import type {KnownUser, TokenKind} from '#lib/config/config.js'
import type {Settings} from '#lib/config/settings.js'
import {printable} from '#lib/platform/sanitize.js'
import {SetupError} from '#lib/platform/setup-error.js'
import {createBreaker} from './breaker.js'
import {type FoundToken, notSignedIn, type Session} from './session.js'

/** Checks a token at its service, as its user and as its app. */

/** The state of a profile's sign-in. */
export interface Checkup {
  readonly found?: FoundToken
  readonly user?: TokenOwner
  /** Whether a new token will be available when this one expires. */
  readonly isRenewable?: boolean
  /** Why the token does not work. */
  readonly problem?: Error
}

/** Checks whether a profile's token works, without a request if it was rejected recently. Never throws: errors are in `problem`. */
export async function checkUp(
  settings: Settings,
  session: Session,
  sending: () => Promise<Omit<SenderOptions, 'token' | 'guard'>>,
  {state, now}: {state: string | undefined; now: () => number},
): Promise<Checkup> {
  let found: FoundToken | undefined
  try {
    found = await session.find()
    if (!found) return {problem: notSignedIn(settings)}
    const guard = createBreaker({state, binding: settings.binding, now})
    const {token, renew} = session
    const user = await fetchTokenOwner(createSender({...(await sending()), token, renew, guard}))
    return {found: await session.find(), user, isRenewable: await session.isRenewable()}
  } catch (problem) {
    const isRenewable = found && (await session.isRenewable().catch(() => undefined))
    return {found, isRenewable, problem: problem as Error}
  }
}

/** Whether two accounts differ (spec: authorization.md, Endpoints, rule 3): by ID if both have one, otherwise by login. */
export function isOtherAccount(known: KnownUser | undefined, user: KnownUser): boolean {
  if (!known) return false
  if (known.id !== undefined && user.id !== undefined) return known.id !== user.id
  return known.login.toLowerCase() !== user.login.toLowerCase()
}

/** What the service reports to an app about one of its tokens, without the token. */
export interface TokenCheck {
  readonly app: {readonly clientId: string; readonly name?: string}
  readonly user?: {readonly id?: string; readonly login?: string}
  readonly scopes: readonly string[]
  readonly createdAt?: string
  /** ISO 8601; `undefined` if the token does not expire. */
  readonly expiresAt?: string
}

/** The token belongs to another app or was revoked. */
export class NotOfApp extends SetupError {
  constructor(message: string) {
    super('sign-in', message)
    this.name = 'NotOfApp'
  }
}

/**
 * Checks a token of the app, with client ID and secret as Basic authentication (spec: authorization.md, Endpoints;
 * reference: oauth.md, section 10). Throws `SetupError` if the token or the secret is invalid.
 */
export async function checkAppToken(
  sending: Omit<SenderOptions, 'token' | 'guard'>,
  {clientId, clientSecret, token}: {clientId: string; clientSecret: string; token: string},
): Promise<TokenCheck> {
  // Authenticates as the app; the token is only in the body.
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64')
  const secrets = [token, clientSecret, basic]
  const sender = createSender({...sending, token: async () => undefined, secrets})
  const url = `${sender.baseUrl}/applications/${encodeURIComponent(clientId)}/token`
  const headers = {
    authorization: `Basic ${basic}`,
    accept: 'application/vnd.service+json',
    'content-type': 'application/json',
  }
  const body = JSON.stringify({access_token: token})
  try {
    const response = await sender.send({method: 'POST', url, headers, body})
    return readCheck(await readRecord(response, sender.reading(url)), clientId, sender.hide)
  } catch (error) {
    throw error instanceof ServiceError ? meaning(error, clientId) : error
  }
}

function meaning(error: ServiceError, clientId: string): Error {
  const app = printable(clientId, 100)
  if (error.status === 404) {
    return new NotOfApp(
      `The token does not belong to the app ${app}: it was revoked or issued to another app.`,
    )
  }
  if (error.status === 401) {
    const isBuiltin = clientId === BUILTIN_CLIENT_ID
    return new SetupError(
      'configuration',
      isBuiltin
        ? `The service does not know the app ${app}. Set DRV_CLIENT_ID and DRV_CLIENT_SECRET to the ID and secret of the app that obtained the token.`
        : `The service rejected the client secret of the app ${app}. Check DRV_CLIENT_SECRET, or run \`drv auth logout\` to delete the stored secret.`,
    )
  }
  return error
}

/** Reads the response, without the token that it repeats. */
function readCheck(
  answer: Readonly<Record<string, unknown>>,
  clientId: string,
  hide: (text: string) => string,
): TokenCheck {
  const shown = (value: unknown) => {
    if (typeof value === 'number') return String(value)
    return typeof value === 'string' && value !== '' ? printable(hide(value), 200) : undefined
  }
  const app = isObject(answer.app) ? answer.app : {}
  const user = isObject(answer.user) ? answer.user : undefined
  return {
    app: {clientId, name: shown(app.name)},
    user: user && {id: shown(user.id), login: shown(user.login)},
    scopes: Array.isArray(answer.scopes)
      ? answer.scopes.map(shown).filter(text => text !== undefined)
      : [],
    createdAt: shown(answer.created_at),
    expiresAt: shown(answer.expires_at),
  }
}

/** The kind of a token; `isGiven`: the user supplied it, so it may be a personal access token. */
export function tokenKindOf({clientId}: TokenOwner, isGiven: boolean): TokenKind {
  return isGiven && clientId === undefined ? 'personal' : 'app'
}

/** The page where users see and revoke personal access tokens. */
export function tokensPageAddress({
  embedded,
  authUrl,
}: Pick<Settings, 'embedded' | 'authUrl'>): string {
  const path = '/settings/tokens'
  // The local service inside a command ends with it, and its pages too.
  return embedded ? `${path} on the service that \`drv local serve\` starts` : `${authUrl}${path}`
}

/** The error that explains that a personal access token has no app to check it; `login` is the recorded owner. */
export function personalToken({user, problem}: Checkup, page: string, login?: string): Error {
  if (user) {
    return new SetupError(
      'sign-in',
      `The token is a valid personal access token of ${user.login}, but this command supports only tokens of apps. To view or revoke it, open ${page}. To see its scopes, run \`drv auth status\`.`,
    )
  }
  if (!(problem instanceof ServiceError) || problem.status !== 401) return problem!
  const owner = login === undefined ? '' : ` of ${login}`
  return new SetupError(
    'sign-in',
    `The personal access token${owner} was revoked or has expired. Create a new one at ${page}, then run \`drv auth login --with-token\`.`,
  )
}

/** The error for a token that does not belong to the app `clientId`; returns `error` itself if the owner is unknown. `kind` is the recorded one. */
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
    `This token belongs to the app ${user.clientId}, not to ${printable(clientId, 100)}. Set DRV_CLIENT_ID and DRV_CLIENT_SECRET to the ID and secret of that app.`,
  )
}
