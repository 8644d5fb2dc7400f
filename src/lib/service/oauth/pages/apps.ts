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

/** GET /settings/applications: the apps with access to the account. */
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
    body:
      items.length === 0
        ? html`<p class="note">No app has access to your account.</p>`
        : html`<p class="soft">These apps have access to your account.</p>
            <ul class="list">
              ${items}
            </ul>`,
  })
}

/** A request for the access page of an app. */
interface AppReview extends SignedIn {
  readonly app: App
}

/**
 * /settings/connections/applications/{client_id}: shows the access of an app. The form revokes all
 * access of the app to the `account` (spec: authorization.md, Endpoints).
 */
export const connectionPage = formPage<AppReview>({
  read(call) {
    const app = appById(call.store, call.name)
    if (!app) return refusalPage(404, 'Unknown app', 'No app has the client ID in this URL.')
    const who = signedIn(call)
    return 'status' in who ? who : {...who, app}
  },
  question: reviewPage,
  decide(review, form) {
    const user = chosenAccount(review.session, form)
    if (!user) return FOREIGN_ACCOUNT
    revokeAccess(review.store, user.id, review.app.client_id, review.now)
    return reviewPage({...review, user})
  },
})

function reviewPage(review: AppReview, formProblem?: FormProblem): ServiceResponse {
  const {store, now, user, session, app} = review
  const access = accessOf(store, user.id, app.client_id, now)
  const granted = [...access.tokens, ...access.approvals]
  return settingsPage(review, 'applications', {
    title: `${app.name}’s access`,
    status: formProblem?.status,
    body: html`${problemNote(formProblem)}
    ${app.home_url !== null && html`<p><a href="${app.home_url}" rel="noreferrer">${app.home_url}</a></p>`}
    ${
      granted.length > 0
        ? html`<form method="post" action="${connectionPath(app.client_id)}">
            ${scopeList(normalScopes(granted.flatMap(scopesOf)), 'The app has this access:')}
            <p class="soft">${accessText(access)}</p>
            <input type="hidden" name="account" value="${user.login}" />
            ${tokenField(session.formToken)}
            <div class="buttons">
              <button class="danger">Revoke ${app.name}’s access</button>
            </div>
          </form>`
        : html`<p class="note" role="status">${app.name} has no access to your account.</p>`
    }`,
  })
}
