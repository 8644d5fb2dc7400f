import type {ServiceResponse} from '#lib/service/http/message.js'
import type {OauthCall} from '#lib/service/oauth/call.js'
import {readParameters} from '#lib/service/oauth/endpoints/requestparameters.js'
import {accessOf, revokeAccess} from '#lib/service/oauth/store/access.js'
import {type App, appById} from '#lib/service/oauth/store/apps.js'
import {normalScopes} from '#lib/service/oauth/tokens/scopes.js'
import {scopesOf} from '#lib/service/oauth/tokens/token.js'
import {FOREIGN_ACCOUNT, scopeList} from './account.js'
import {foreignForm} from './browsersession.js'
import {html} from './html.js'
import {type FormProblem, problemNote, refusalPage, tokenField} from './layout.js'
import {connectionPath} from './paths.js'
import {accessText, settingsPage, type SignedIn, signedIn} from './settings.js'

/** GET /settings/connections/applications/{client_id}: what an app has from the account (spec: authorization.md, Endpoints). */
export function connectionPage(call: OauthCall): ServiceResponse {
  const app = appById(call.store, call.name)
  if (!app) return unknownApp()
  const who = signedIn(call)
  return 'status' in who ? who : reviewPage(who, app)
}

/** POST to the same path: takes everything back that the `account` gave the app. */
export async function connectionFormPage(call: OauthCall): Promise<ServiceResponse> {
  const {store, now, name: clientId} = call
  const app = appById(store, clientId)
  if (!app) return unknownApp()
  const form = await readParameters(call.request)
  const who = signedIn(call)
  if ('status' in who) return who
  const foreign = foreignForm(call, form)
  if (foreign) return reviewPage(who, app, foreign)
  const user = who.session.users.find(({login}) => login === form.get('account'))
  if (!user) return reviewPage(who, app, FOREIGN_ACCOUNT)
  revokeAccess(store, user.id, clientId, now)
  return reviewPage({...who, user}, app)
}

function unknownApp(): ServiceResponse {
  return refusalPage(404, 'Unknown app', 'There is no app of this ID.')
}

function reviewPage(who: SignedIn, app: App, {status, problem}: FormProblem = {}): ServiceResponse {
  const {store, now, user, session} = who
  const access = accessOf(store, user.id, app.client_id, now)
  const granted = [...access.tokens, ...access.underWay]
  return settingsPage(who, 'applications', {
    title: `Access of ${app.name}`,
    status,
    body: html`${problemNote(problem)}
    ${app.home_url !== null && html`<p><a href="${app.home_url}" rel="noreferrer">${app.home_url}</a></p>`}
    ${
      granted.length > 0
        ? html`<form method="post" action="${connectionPath(app.client_id)}">
            ${scopeList(normalScopes(granted.flatMap(scopesOf)), 'It may do this with your account:')}
            <p class="soft">${accessText(access)}</p>
            <input type="hidden" name="account" value="${user.login}" />
            ${tokenField(session.formToken)}
            <div class="buttons">
              <button class="danger">Revoke the access of ${app.name}</button>
            </div>
          </form>`
        : html`<p class="note" role="status">${app.name} has no access to your account.</p>`
    }`,
  })
}
