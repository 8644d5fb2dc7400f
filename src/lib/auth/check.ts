import {isObject} from '#lib/api/validate.js'
import {BUILTIN_CLIENT_ID} from '#lib/api/wire.js'
import {ServiceError} from '#lib/client/errors.js'
import {createSender, readRecord, type SenderOptions} from '#lib/client/request.js'
import {printable} from '#lib/platform/sanitize.js'
import {SetupError} from '#lib/platform/setup-error.js'

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
 * Asks whether a token is one of the app's own and alive (spec: authorization.md, Endpoints;
 * reference: oauth.md, section 10). The app shows its client ID and secret by Basic authentication.
 * Fails with `SetupError` when the token or the secret is not right.
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
