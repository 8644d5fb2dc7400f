import type {ServiceRequest, ServiceResponse} from '../../http.js'
import {type User, userByLogin} from '../../store/users.js'
import {type App, appById} from '../apps.js'
import {readParameters} from '../formats.js'
import {isOwnForm, openSession} from '../sessions.js'
import type {OauthContext} from '../token.js'
import {liveTokens, revokeToken} from '../tokens.js'
import {authorizedScopes} from '../web.js'
import {accounts, scopeList} from './account.js'
import {html} from './html.js'
import {page, refusalPage} from './layout.js'

/** GET /settings/connections/applications/{client_id}: what an app has from whom (spec: authorization.md, Endpoints). */
export function connectionPage(
  request: ServiceRequest,
  context: OauthContext,
  clientId: string,
): ServiceResponse {
  const app = appById(context.store, clientId)
  return app ? reviewPage(request, context, app) : unknownApp()
}

/** POST to the same path: takes everything back that the `account` gave the app. */
export async function connectionFormPage(
  request: ServiceRequest,
  context: OauthContext,
  clientId: string,
): Promise<ServiceResponse> {
  const {store, now, origin} = context
  const app = appById(store, clientId)
  if (!app) return unknownApp()
  const form = await readParameters(request)
  if (!isOwnForm(request, origin, form.get('authenticity_token') ?? '')) {
    const problem = 'This form did not come from this page, or the page is old. Send it again.'
    return reviewPage(request, context, app, {status: 403, problem})
  }
  const user = userByLogin(store, form.get('account') ?? '')
  if (!user) {
    return reviewPage(request, context, app, {status: 400, problem: 'There is no such account.'})
  }
  store.write(() => {
    for (const {id} of liveTokens(store, user.id, clientId, now)) revokeToken(store, id, now)
  })
  return reviewPage(request, context, app)
}

function unknownApp(): ServiceResponse {
  return refusalPage(404, 'Unknown app', 'There is no app of this ID.')
}

function reviewPage(
  request: ServiceRequest,
  context: OauthContext,
  app: App,
  {status, problem}: {status?: number; problem?: string} = {},
): ServiceResponse {
  const session = openSession(context.store, request)
  const authorizations = accounts(context.store, context.now).map(user =>
    authorization(request, context, app, user, session.formToken),
  )
  const isNone = authorizations.every(part => part === undefined)
  return page({
    title: `Access of ${app.name}`,
    status,
    headers: session.headers,
    body: html`${problem && html`<p class="bad" role="alert">${problem}</p>`}
    ${isNone && html`<p role="status">${app.name} has no access to any account here.</p>`}
    ${authorizations}`,
  })
}

/** What one account gave the app, and the button that takes it back; `undefined` where it gave nothing. */
function authorization(
  {url}: ServiceRequest,
  {store, now}: OauthContext,
  app: App,
  user: User,
  formToken: string,
) {
  const scopes = authorizedScopes(store, user, app, now)
  if (!scopes) return undefined
  return html`<form method="post" action="${url.pathname}">
    <p>Account: <strong>${user.login}</strong> (${user.email})</p>
    ${scopeList(scopes)}
    <input type="hidden" name="account" value="${user.login}" />
    <input type="hidden" name="authenticity_token" value="${formToken}" />
    <div class="buttons"><button>Revoke the access of ${app.name}</button></div>
  </form>`
}
