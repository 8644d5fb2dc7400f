import {scopeCatalogue, type ScopeName, shortScope} from '../../../api/description/scopes.js'
import type {Store} from '../../store/index.js'
import {DEFAULT_LOGIN, ensureUser, type User, userByLogin} from '../../store/users.js'
import {type Html, html} from './html.js'

/** The accounts a page can act for, the oldest first; the usual one is made where there is none. */
export function accounts(store: Store, now: number): readonly User[] {
  const found = store.all<{login: string}>('SELECT login FROM users ORDER BY id')
  return found.length === 0
    ? [ensureUser(store, DEFAULT_LOGIN, now)]
    : found.map(({login}) => userByLogin(store, login)!)
}

/** Says for whom the page acts, or lets choose where there are several. The field is `account`. */
export function accountField(users: readonly User[], selected: string | undefined): Html {
  const [only] = users
  if (users.length === 1 && only) {
    return html`<p>Account: <strong>${only.login}</strong> (${only.email})</p>
      <input type="hidden" name="account" value="${only.login}" />`
  }
  const options = users.map(
    user =>
      html`<option value="${user.login}" ${user.login === selected && html` selected`}>
        ${user.login} (${user.email})
      </option>`,
  )
  return html`<label for="account">Account</label>
    <select id="account" name="account">
      ${options}
    </select>`
}

/** What an app may do with these scopes (full values), in words. */
export function scopeList(scopes: readonly string[]): Html {
  if (scopes.length === 0) {
    return html`<p>It asks for no access to your files. It sees your name and your address.</p>`
  }
  const items = scopes.map(value => {
    const name = shortScope(value)
    return html`<li>${scopeCatalogue[name as ScopeName]} <span class="soft">(${name})</span></li>`
  })
  return html`<p>It asks for:</p>
    <ul>
      ${items}
    </ul>`
}

/** The two buttons under a question of trust. The field is `decision`: `authorize` or `cancel`. */
export const decisionButtons: Html = html`<div class="buttons">
  <button name="decision" value="cancel">Cancel</button>
  <button class="main" name="decision" value="authorize">Authorize</button>
</div>`
