import type {ServiceResponse} from '#lib/service/http/message.js'
import type {OauthCall} from '#lib/service/oauth/call.js'
import {
  authorizeForOrganization,
  findRequest,
  type Organization,
  organizationByName,
} from '#lib/service/oauth/store/organizations.js'
import {tokenById} from '#lib/service/oauth/store/tokens.js'
import type {TokenRow} from '#lib/service/oauth/tokens/token.js'
import {userById} from '#lib/service/store/users.js'
import {accountWords} from './account.js'
import {formPage} from './form-page.js'
import {checkIcon, html, keyIcon} from './html.js'
import {type FormProblem, page, problemNote, redirect, refusalPage, tokenField} from './layout.js'
import {signInAddress, TOKENS_PATH} from './paths.js'
import {type SignedIn, signedIn} from './settings.js'

/** What the address asks for: a token of somebody who is signed in, and its organization. */
interface Wish extends SignedIn {
  readonly organization: Organization
  readonly token: TokenRow
  readonly code: string
}

/**
 * /orgs/{name}/sso: where the header X-Service-SSO leads; its form authorizes the token. The local
 * service knows no identity provider: to confirm stands for signing in at one.
 */
export const ssoPage = formPage<Wish>({
  read: (call, values) => readWish(call, values.get('authorization_request') ?? ''),
  question: questionPage,
  decide({store, token, organization}) {
    authorizeForOrganization(store, token.id, organization.id)
    return page({
      title: 'The token is authorized',
      top: html`<div class="mark">${checkIcon}</div>`,
      body: html`<p role="status">
        It now opens what is in the shared drives of ${organization.name}. You can close this page
        and try again.
      </p>`,
    })
  },
})

function readWish(call: OauthCall, code: string): Wish | ServiceResponse {
  const {store, now, name, request} = call
  const organization = organizationByName(store, name)
  if (!organization) {
    return refusalPage(404, 'Unknown organization', 'There is no organization of this name.')
  }
  const asked = findRequest(store, code, now)
  const token = asked && tokenById(store, asked.token_id)
  if (asked?.organization_id !== organization.id || !token) {
    return refusalPage(
      404,
      'This address has expired',
      'It works for an hour. Send your request again to get a new one, or authorize the token in the settings.',
    )
  }
  const who = signedIn(call)
  if ('status' in who) return who
  const user = who.session.users.find(({id}) => id === token.user_id)
  if (user) return {...who, user, organization, token, code}
  const owner = userById(store, token.user_id)!
  const {pathname, search} = request.url
  return redirect(signInAddress({return_to: pathname + search, login: owner.login}))
}

function questionPage(
  {session, user, organization, token, code, owner}: Wish,
  wrong?: FormProblem,
): ServiceResponse {
  return page({
    title: `Authorize a token for ${organization.name}?`,
    status: wrong?.status,
    headers: session.headers,
    top: html`<div class="mark off">${keyIcon}</div>`,
    body: html`<form method="post" action="/orgs/${encodeURIComponent(organization.name)}/sso">
      ${problemNote(wrong)}
      <p>
        <strong>${organization.name}</strong> enforces single sign-on. Your token
        <strong>${token.note ?? ''}</strong> <code>…${token.last_eight}</code> opens nothing there
        until you authorize it.
      </p>
      <div class="account">${accountWords(user)}</div>
      <input type="hidden" name="authorization_request" value="${code}" />
      ${tokenField(session.formToken)}
      <div class="buttons">
        ${!owner && html`<a class="button" href="${TOKENS_PATH}">Cancel</a>`}
        <button class="main">Authorize</button>
      </div>
    </form>`,
    footer: html`The local service has no identity provider. To confirm here takes its place.`,
  })
}
