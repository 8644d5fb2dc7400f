import {ProtocolError} from '#lib/client/errors.js'
import {meaningOf, redirectWords} from '#lib/client/responses.js'
import {discardBody, readText} from '#lib/client/transport/incoming.js'
import {LONGEST_GAP} from '#lib/client/transport/silence.js'
import {createTransport, type Send} from '#lib/client/transport/transport.js'
import {checkOrigin} from '#lib/config/address.js'
import type {RawAnswer} from './answer.js'

/** More than any answer of an authorization service has, in bytes. */
const LIMIT = 64 * 1024

/** Fields of a form that must not come back in what is shown of the answer. */
const SECRETS = ['client_secret', 'code', 'code_verifier', 'device_code']

const REDIRECT = {carried: 'your sign-in goes', remedy: 'set DRV_AUTH_URL to it'}

/**
 * Sends forms to an authorization service, one after the other over the same connection, asking for
 * JSON. Refusals are answers here: OAuth puts them in the body. Fails with `NetworkError`, and with
 * `ProtocolError` for a redirect. Throws `SetupError('configuration')` for an address that would
 * carry codes in the open.
 */
export function createPost(options: {
  /** Address of the authorization service, no slash at the end. */
  readonly authUrl: string
  readonly userAgent?: string
  /** Headers that every form is sent with. */
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  readonly send?: Send
  /** Milliseconds without a sign of life before a request fails; a slow answer may take twice as long. */
  readonly timeout?: number
}): (path: string, form: Readonly<Record<string, string>>) => Promise<RawAnswer> {
  const {authUrl, userAgent = 'drv', headers: more, signal, send = createTransport()} = options
  const {timeout = LONGEST_GAP} = options
  checkOrigin(new URL(authUrl), 'The address of the authorization service')
  return async (path, form) => {
    const url = authUrl + path
    const response = await send({
      method: 'POST',
      url,
      headers: {
        accept: 'application/json',
        'content-type': 'application/x-www-form-urlencoded',
        'user-agent': userAgent,
        ...more,
      },
      body: new URLSearchParams(form).toString(),
      timeout,
      decompress: true,
      signal,
    })
    const {status, headers} = response
    if (meaningOf(status) === 'redirect' || meaningOf(status) === 'strange') {
      discardBody(response)
      const words =
        redirectWords(status, headers, url, REDIRECT) ??
        `answered with status ${status}, which means nothing here.`
      throw new ProtocolError(`The authorization service ${words}`)
    }
    const body = await readText(response, {url, idle: timeout, signal}, LIMIT)
    const secrets = SECRETS.flatMap(name => form[name] ?? [])
    return {
      status,
      contentType: headers['content-type'],
      body,
      ...(secrets.length > 0 && {secrets}),
    }
  }
}
