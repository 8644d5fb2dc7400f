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
import {automaticPage} from './automatic.js'
import {formPage} from './form-page.js'
import {checkIcon, html, keyIcon} from './html.js'
import {type FormProblem, page, problemNote, redirect, refusalPage, tokenField} from './layout.js'
import {signInAddress, TOKENS_PATH} from './paths.js'
import {type SignedIn, signedIn} from './settings.js'

/** A request to authorize a token of the signed-in user for an organization. */
interface SsoCall extends SignedIn {
  readonly organization: Organization
  readonly token: TokenRow
  readonly code: string
}

/**
 * /orgs/{name}/sso: the page that the header X-Service-SSO links to. Its form authorizes the token. The
 * local service has no identity provider, so a confirmation replaces its sign-in.
 */
export const ssoPage = formPage<SsoCall>({
  read: (call, values) => readSsoCall(call, values.get('authorization_request') ?? ''),
  question: questionPage,
  decide: authorizeToken,
})

function authorizeToken({
  store,
  token,
  organization,
}: Pick<SsoCall, 'store' | 'token' | 'organization'>): ServiceResponse {
  authorizeForOrganization(store, token.id, organization.id)
  return page({
    title: 'The token is authorized',
    top: html`<div class="mark">${checkIcon}</div>`,
    body: html`<p role="status">
      The token now has access to the shared drives of ${organization.name}. You can close this page
      and try again.
    </p>`,
  })
}

function readSsoCall(call: OauthCall, code: string): SsoCall | ServiceResponse {
  const {store, now, name, request} = call
  const organization = organizationByName(store, name)
  if (!organization) {
    return refusalPage(404, 'Unknown organization', 'No organization has the name in this URL.')
  }
  const ssoRequest = findRequest(store, code, now)
  const token = ssoRequest && tokenById(store, ssoRequest.token_id)
  if (ssoRequest?.organization_id !== organization.id || !token) {
    return refusalPage(
      404,
      'This link has expired',
      'Links like this one are valid for one hour. Repeat your API request to get a new link, or authorize the token in the settings.',
    )
  }
  if (call.approval) {
    // There is no person who could choose an account, so each token is authorized for its own user.
    return typeof call.approval === 'string'
      ? automaticPage(call)!
      : authorizeToken({store, token, organization})
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
  {session, user, organization, token, code, owner}: SsoCall,
  formProblem?: FormProblem,
): ServiceResponse {
  return page({
    title: `Authorize a token for ${organization.name}?`,
    status: formProblem?.status,
    headers: session.headers,
    top: html`<div class="mark off">${keyIcon}</div>`,
    body: html`<form method="post" action="/orgs/${encodeURIComponent(organization.name)}/sso">
      ${problemNote(formProblem)}
      <p>
        <strong>${organization.name}</strong> requires single sign-on. Your token
        ${!!token.note && html`“<strong>${token.note}</strong>” `}<code>…${token.last_eight}</code>
        has no access to the shared drives of ${organization.name} until you authorize the token.
      </p>
      <div class="account">${accountWords(user)}</div>
      <input type="hidden" name="authorization_request" value="${code}" />
      ${tokenField(session.formToken)}
      <div class="buttons">
        ${!owner && html`<a class="button" href="${TOKENS_PATH}">Cancel</a>`}
        <button class="main">Authorize</button>
      </div>
    </form>`,
    footer: html`The local service has no identity provider, so you only need to confirm here.`,
  })
}
