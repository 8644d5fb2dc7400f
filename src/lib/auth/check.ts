import {isObject} from '#lib/api/validate.js'
import {BUILTIN_CLIENT_ID} from '#lib/api/wire.js'
import {ServiceError} from '#lib/client/errors.js'
import {createSender, readRecord, type SenderOptions} from '#lib/client/request.js'
import {fetchTokenOwner, type TokenOwner} from '#lib/client/token-owner.js'
import type {KnownUser, TokenKind} from '#lib/config/config.js'
import type {Settings} from '#lib/config/settings.js'
import {printable} from '#lib/platform/sanitize.js'
import {SetupError} from '#lib/platform/setup-error.js'
import {createBreaker} from './breaker.js'
import {type FoundToken, notSignedIn, type Session} from './session.js'

/** What a service says of a token: to whoever has it, and to the app that got it. */

/** How a profile's sign-in does. */
export interface Checkup {
  readonly found?: FoundToken
  readonly user?: TokenOwner
  /** Whether a new token will be available when this one expires. */
  readonly isRenewable?: boolean
  /** Why it does not work. */
  readonly problem?: Error
}

/** Asks the service whether a profile's token works, unless it was refused a little while ago. Never fails: the result says why. */
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

/** Whether a token belongs to another account (spec: authorization.md, Endpoints, rule 3), by ID where both have one. */
export function isAnother(known: KnownUser | undefined, user: KnownUser): boolean {
  if (!known) return false
  if (known.id !== undefined && user.id !== undefined) return known.id !== user.id
  return known.login.toLowerCase() !== user.login.toLowerCase()
}

/** What the service tells an app of one of its tokens, but for the token itself. */
export interface TokenCheck {
  readonly app: {readonly clientId: string; readonly name?: string}
  readonly user?: {readonly id?: string; readonly login?: string}
  readonly scopes: readonly string[]
  readonly createdAt?: string
  /** `undefined`: it does not expire. */
  readonly expiresAt?: string
}

/** The token is not one of the app's, or not any more. */
export class NotOfApp extends SetupError {
  constructor(message: string) {
    super('sign-in', message)
    this.name = 'NotOfApp'
  }
}

/**
 * Asks, with client ID and secret as Basic authentication, whether a token of the app is alive (spec: authorization.md,
 * Endpoints; reference: oauth.md, section 10). Fails with `SetupError` where the token or the secret is wrong.
 */
export async function checkAppToken(
  sending: Omit<SenderOptions, 'token' | 'guard'>,
  {clientId, clientSecret, token}: {clientId: string; clientSecret: string; token: string},
): Promise<TokenCheck> {
  // The token is what is asked about, not what asks.
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
      `The service knows no such token of the app ${app}: it was revoked, or another app got it.`,
    )
  }
  if (error.status === 401) {
    const isBuiltin = clientId === BUILTIN_CLIENT_ID
    return new SetupError(
      'configuration',
      isBuiltin
        ? `The service does not know the app ${app}. Set DRV_CLIENT_ID and DRV_CLIENT_SECRET to those of the app that got the token.`
        : `The service does not accept the client secret of the app ${app}. Check DRV_CLIENT_SECRET; \`drv auth logout\` forgets a secret that is stored.`,
    )
  }
  return error
}

/** Takes from the answer what is shown; the token that it repeats stays out. */
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

/** Of which kind a token is; `isGiven`: somebody brought it, and so no app got it just now. */
export function tokenKindOf({clientId}: TokenOwner, isGiven: boolean): TokenKind {
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

/** The error for a token that the app `clientId` did not get; `error` where nothing better is known. `kind` is as noted. */
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
