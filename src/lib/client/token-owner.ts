import {operation} from '#lib/api/operations.js'
import {isObject, nonEmptyText} from '#lib/api/validate.js'
import {printable} from '#lib/platform/sanitize.js'
import {isNotFound, ProtocolError} from './errors.js'
import {readRecord} from './read-response.js'
import type {Sender} from './request.js'
import {headerScopes} from './responses.js'
import {requestUrl} from './url.js'

/** The owner of a token (spec: authorization.md, Endpoints; reference: oauth.md, section 9). */
export interface TokenOwner {
  /** The account's permanent ID; a login can change. */
  readonly id?: string
  readonly login: string
  readonly name?: string
  readonly email?: string
  /** The token's scopes, if the service reports them. */
  readonly scopes?: readonly string[]
  /** The app that obtained the token, if the service reports it; personal tokens have none. */
  readonly clientId?: string
}

/**
 * Sends `GET {base_url}/user`, or `about.get` to a service without that endpoint. Any identifier can replace a missing
 * login. Throws `ProtocolError` if neither exists.
 */
export async function fetchTokenOwner(sender: Sender): Promise<TokenOwner> {
  const url = `${sender.baseUrl}/user`
  const ask = (url: string) =>
    sender.retry({repeat: 'safe'}, async () => {
      const response = await sender.send({method: 'GET', url})
      return {headers: response.headers, body: await readRecord(response, sender.reading(url))}
    })
  const {body, headers} = await ask(url).catch(async (failure: unknown) => {
    if (!isNotFound(failure)) throw failure
    const about = requestUrl(sender.baseUrl, operation('about.get'), {fields: 'user'})
    const answer = await ask(about).catch((error: unknown) => {
      throw isNotFound(error) ? noUser(url) : error
    })
    return {...answer, body: userOf(answer.body)}
  })
  const shown = (value: unknown) => {
    const text = nonEmptyText(value)
    return text && printable(sender.hide(text), 200)
  }
  const id = shown(typeof body.id === 'number' ? String(body.id) : body.id)
  const name = shown(body.name)
  const email = shown(body.email)
  const login = shown(body.login) ?? email ?? name ?? id
  if (login === undefined) {
    throw new ProtocolError(
      `${new URL(url).host} did not return an account. Check that it is a file service.`,
    )
  }
  const scopes = headerScopes(headers['x-oauth-scopes'])
  return {id, login, name, email, scopes, clientId: shown(headers['x-oauth-client-id'])}
}

/** Converts the user in a response of `about.get` to the fields of `/user`. */
function userOf({user}: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (!isObject(user)) return {}
  const {permissionId: id, emailAddress: email, displayName: name} = user
  return {id, email, name}
}

function noUser(url: string): ProtocolError {
  return new ProtocolError(
    `The service has no /user endpoint: ${url} returned 404. Check DRV_BASE_URL or the URL in the profile.`,
  )
}
