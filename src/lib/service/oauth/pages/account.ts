import {scopeCatalog, type ScopeName, shortScope} from '#lib/api/description/scopes.js'
import type {User} from '#lib/service/store/users.js'
import {checkIcon, folderIcon, type Html, html} from './html.js'
import type {FormProblem} from './layout.js'

/**
 * Web pages live here: signing in, allowing an app, the settings of an account. What they show and
 * change comes from `../flows` and `../store`.
 */

/** Says who an account is: a letter, its login and its address. */
export function accountWords({login, name, email}: User): Html {
  return html`<span class="avatar" aria-hidden="true">${[...login][0] ?? ''}</span>
    <span><b>${name === login ? login : `${name} (${login})`}</b><small>${email}</small></span>`
}

/** Says for whom the page acts, or lets choose where there are several. The field is `account`. */
export function accountField(users: readonly User[]): Html {
  const [first] = users
  if (users.length <= 1) {
    return html`${
      first &&
      html`<div class="account">${accountWords(first)}</div>
        <input type="hidden" name="account" value="${first.login}" />`
    }`
  }
  const choices = users.map(
    user =>
      html`<label class="account">
        ${accountWords(user)}
        <input type="radio" name="account" value="${user.login}" ${user === first && ' checked'} />
      </label>`,
  )
  return html`<fieldset>
    <legend>Account</legend>
    ${choices}
  </fieldset>`
}

/** For an `account` of which the browser knows nothing. */
export const FOREIGN_ACCOUNT: FormProblem = {
  status: 400,
  problem: 'Nobody is signed in to this account here.',
}

/** Buttons that choose an account, each sending `account`. `hinted` is the login that is suggested. */
export function accountButtons(users: readonly User[], hinted?: string): Html {
  const sorted = [...users].sort((a, b) => Number(b.login === hinted) - Number(a.login === hinted))
  const buttons = sorted.map(
    user =>
      html`<button
        class="account${user.login === hinted && ' hinted'}"
        name="account"
        value="${user.login}"
      >
        ${accountWords(user)}
      </button>`,
  )
  return html`${buttons}`
}

/** The app and the service side by side, as the picture of a question of trust. */
export function appPicture(appName: string): Html {
  return html`<div class="pair" aria-hidden="true">
    <span class="avatar">${[...appName][0] ?? ''}</span><i></i
    ><span class="avatar">${folderIcon}</span>
  </div>`
}

/** What an app may do with these scopes (in either spelling), in words. */
export function scopeList(scopes: readonly string[], lead = 'It asks for:'): Html {
  if (scopes.length === 0) {
    return html`<p>It asks for no access to your files. It sees your name and your address.</p>`
  }
  return html`<p>${lead}</p>
    ${scopeItems(scopes)}`
}

/** Scopes (in either spelling) as a list of what they allow. */
export function scopeItems(scopes: readonly string[]): Html {
  const items = scopes.map(value => {
    const name = shortScope(value)
    return html`<li>
      ${checkIcon}
      <span>${scopeCatalog[name as ScopeName]} <small>${name}</small></span>
    </li>`
  })
  return html`<ul class="scopes">
    ${items}
  </ul>`
}

/** For a `decision` that is none of the two. */
export const NO_DECISION: FormProblem = {status: 400, problem: 'Choose Authorize or Cancel.'}

/** The two buttons under a question of trust. The field is `decision`: `authorize` or `cancel`. */
export const decisionButtons: Html = html`<div class="buttons">
  <button name="decision" value="cancel">Cancel</button>
  <button class="main" name="decision" value="authorize">Authorize</button>
</div>`
