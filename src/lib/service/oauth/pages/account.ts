import {scopeCatalog, type ScopeName, shortScope} from '#lib/api/description/scopes.js'
import type {User} from '#lib/service/store/users.js'
import {checkIcon, folderIcon, type Html, html} from './html.js'
import type {FormProblem} from './layout.js'

/**
 * The web pages for sign-in, authorizing apps, and account settings. They use `../flows` and
 * `../store`.
 */

/** Shows an account: an initial, name, login and email address. */
export function accountWords({login, name, email}: User): Html {
  return html`<span class="avatar" aria-hidden="true">${[...login][0] ?? ''}</span>
    <span><b>${name === login ? login : `${name} (${login})`}</b><small>${email}</small></span>`
}

/** Shows the account that the page acts for, or a choice of several. The form field is `account`. */
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

/** The problem for an `account` that is not signed in to this browser. */
export const FOREIGN_ACCOUNT: FormProblem = {
  status: 400,
  problem: 'This browser is not signed in to that account.',
}

/** Buttons to choose an account; each sends the field `account`. `hinted` is the suggested login, listed first. */
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

/** A picture of the app beside the service, for pages that ask for authorization. */
export function appPicture(appName: string): Html {
  return html`<div class="pair" aria-hidden="true">
    <span class="avatar">${[...appName][0] ?? ''}</span><i></i
    ><span class="avatar">${folderIcon}</span>
  </div>`
}

/** Describes the access of these scopes, in either spelling. */
export function scopeList(scopes: readonly string[], lead = 'The app requests:'): Html {
  if (scopes.length === 0) {
    return html`<p>
      The app requests no access to your files. It can see your name and email address.
    </p>`
  }
  return html`<p>${lead}</p>
    ${scopeItems(scopes)}`
}

/** Lists scopes, in either spelling, with their descriptions. */
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

/** The problem for a missing or unknown `decision`. */
export const NO_DECISION: FormProblem = {status: 400, problem: 'Choose Authorize or Cancel.'}

/** The buttons that authorize or cancel. The form field is `decision`: `authorize` or `cancel`. */
export const decisionButtons: Html = html`<div class="buttons">
  <button name="decision" value="cancel">Cancel</button>
  <button class="main" name="decision" value="authorize">Authorize</button>
</div>`
