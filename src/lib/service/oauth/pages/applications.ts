import type {ServiceResponse} from '#lib/service/http/message.js'
import {accessOf, appsWithAccess} from '#lib/service/oauth/store/access.js'
import {appById} from '#lib/service/oauth/store/apps.js'
import {html} from './html.js'
import {connectionPath} from './paths.js'
import {accessText, settingsPage, type SignedIn} from './settings.js'

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
