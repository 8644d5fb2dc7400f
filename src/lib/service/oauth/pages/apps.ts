import type {ServiceResponse} from '#lib/service/http/message.js'
import {accessOf, appsWithAccess, revokeAccess} from '#lib/service/oauth/store/access.js'
import {type App, appById} from '#lib/service/oauth/store/apps.js'
import {normalScopes} from '#lib/service/oauth/tokens/scopes.js'
import {scopesOf} from '#lib/service/oauth/tokens/token.js'
import {FOREIGN_ACCOUNT, scopeList} from './account.js'
import {chosenAccount} from './browser-session.js'
import {formPage} from './form-page.js'
import {html} from './html.js'
import {type FormProblem, problemNote, refusalPage, tokenField} from './layout.js'
import {connectionPath} from './paths.js'
import {accessText, settingsPage, type SignedIn, signedIn} from './settings.js'

/** GET /settings/applications: the apps that have access to the account. */
export function applicationsPage(who: SignedIn): ServiceResponse {
  const {store, now, user} = who
  const items = appsWithAccess(store, user.id, now).map(clientId => {
    const app = appById(store, clientId)!
    const access = accessOf(store, user.id, clientId, now)
    return html`<li>
      <span class="avatar" aria-hidden="true">${[...app.name][0] ?? ''}</span>
      <div>
        <p>
          <strong>${app.name}</strong>
          ${app.suspended === 1 && html`<span class="tag warn">suspended</span>`}
        </p>
        <p class="soft">${accessText(access)}</p>
      </div>
      <a href="${connectionPath(clientId)}">Review ${app.name}</a>
    </li>`
  })
  return settingsPage(who, 'applications', {
    title: 'Authorized apps',
    body: html`<p class="soft">These apps may use your account.</p>
      ${
        items.length === 0
          ? html`<p class="note">No app has access to your account.</p>`
          : html`<ul class="list">
              ${items}
            </ul>`
      }`,
  })
}

/** What is asked about: an app, by somebody who is signed in. */
interface Wish extends SignedIn {
  readonly app: App
}

/**
 * /settings/connections/applications/{client_id}: what an app has from the account; its form takes
 * everything back that the `account` gave the app (spec: authorization.md, Endpoints).
 */
export const connectionPage = formPage<Wish>({
  read(call) {
    const app = appById(call.store, call.name)
    if (!app) return refusalPage(404, 'Unknown app', 'There is no app of this ID.')
    const who = signedIn(call)
    return 'status' in who ? who : {...who, app}
  },
  question: reviewPage,
  decide(wish, form) {
    const user = chosenAccount(wish.session, form)
    if (!user) return FOREIGN_ACCOUNT
    revokeAccess(wish.store, user.id, wish.app.client_id, wish.now)
    return reviewPage({...wish, user})
  },
})

function reviewPage(wish: Wish, wrong?: FormProblem): ServiceResponse {
  const {store, now, user, session, app} = wish
  const access = accessOf(store, user.id, app.client_id, now)
  const granted = [...access.tokens, ...access.underWay]
  return settingsPage(wish, 'applications', {
    title: `Access of ${app.name}`,
    status: wrong?.status,
    body: html`${problemNote(wrong)}
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
