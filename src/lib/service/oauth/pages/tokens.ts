import {scopeCatalog, shortScope} from '#lib/api/description/scopes.js'
import type {ServiceResponse} from '#lib/service/http/message.js'
import {
  authorizedOrganizations,
  authorizeForOrganization,
  type Organization,
  ssoOrganizations,
} from '#lib/service/oauth/store/organizations.js'
import {liveTokens, revokeToken} from '#lib/service/oauth/store/tokens.js'
import {permissionCatalog} from '#lib/service/oauth/tokens/permissions.js'
import {LIFETIMES, makePersonalToken} from '#lib/service/oauth/tokens/personal-token.js'
import {scopesOf, tokenFormOf, type TokenRow} from '#lib/service/oauth/tokens/token.js'
import {formPage, type FormValues} from './form-page.js'
import {type Html, html} from './html.js'
import {type FormProblem, problemNote, tokenField} from './layout.js'
import {TOKENS_PATH} from './paths.js'
import {dateText, settingsPage, type SignedIn, signedIn} from './settings.js'

/** /settings/tokens: the form field `action` is `create`, `revoke` or `authorize` (for the field `organization`). */
export const tokensPage = formPage<SignedIn>({
  read: signedIn,
  question: (who, formProblem) => listPage(who, {formProblem}),
  decide(who, form) {
    const {store, now, user} = who
    if (form.get('action') === 'create') {
      // If a browser sends the form again, as on a reload, no second token is created.
      const note = form.get('note')?.trim()
      if (liveTokens(store, user.id, null, now).some(token => token.note === note)) {
        const problem = `You already have a token named “${note ?? ''}”. Enter another name, or revoke that token.`
        return newTokenForm(who, form, {status: 409, problem})
      }
      const created = makePersonalToken(who, user, form)
      return typeof created === 'string'
        ? newTokenForm(who, form, {status: 400, problem: created})
        : listPage(who, {secret: created.token})
    }
    const id = Number(form.get('id'))
    const token = liveTokens(store, user.id, null, now).find(one => one.id === id)
    if (!token) return {status: 404, problem: 'The token does not exist or is no longer valid.'}
    if (form.get('action') === 'revoke') {
      revokeToken(store, token.id, now)
      const done = `Revoked the token “${token.note ?? ''}”.`
      return listPage(who, {done})
    }
    const organization = ssoOrganizations(store, user, now).find(
      one => `${one.id}` === form.get('organization'),
    )
    if (form.get('action') !== 'authorize' || !organization) {
      return {status: 400, problem: 'The form has an unknown action or organization.'}
    }
    authorizeForOrganization(store, token.id, organization.id)
    return listPage(who, {done: `Authorized the token for ${organization.name}.`})
  },
})

/** The result of the submitted form. */
interface FormResult {
  readonly formProblem?: FormProblem
  /** A new token. */
  readonly secret?: string
  readonly done?: string
}

/** The personal access tokens of the account (spec: authorization.md, Authentication 6). */
function listPage(who: SignedIn, {formProblem, secret, done}: FormResult): ServiceResponse {
  const {store, now, user} = who
  const organizations = ssoOrganizations(store, user, now)
  const tokens = [...liveTokens(store, user.id, null, now)].reverse()
  const items = tokens.map(token => tokenItem(who, token, organizations))
  return settingsPage(who, 'tokens', {
    title: 'Personal access tokens',
    status: formProblem?.status,
    body: html`${problemNote(formProblem)}
      ${done && html`<p class="good" role="status">${done}</p>`} ${secret && secretNote(secret)}
      <p class="soft">
        Scripts and tests use these tokens to act on your behalf. Keep them secret: anyone who has a
        token can use your account with its permissions.
      </p>
      <div class="buttons above">
        <a class="button main" href="${TOKENS_PATH}/new?kind=fine">New fine-grained token</a>
        <a class="button" href="${TOKENS_PATH}/new?kind=classic">New classic token</a>
      </div>
      ${
        items.length === 0
          ? html`<p class="note">You have no tokens yet.</p>`
          : html`<ul class="list">
              ${items}
            </ul>`
      } `,
  })
}

/** Shows a new token, which is never shown again. */
function secretNote(secret: string): Html {
  return html`<div class="good" role="status">
      <label for="secret">Your new token. Copy it now; it will not be shown again.</label>
      <textarea class="secret" id="secret" readonly autofocus rows="2" spellcheck="false">
${secret}</textarea>
      <small>
        Store it with <code>drv auth login --with-token</code>, or set it as <code>DRV_TOKEN</code>.
      </small>
    </div>
    <p></p>`
}

function tokenItem(
  {session, store}: SignedIn,
  token: TokenRow,
  organizations: readonly Organization[],
): Html {
  const authorized = authorizedOrganizations(store, token.id)
  const button = (action: string, text: string, kind: string, organization?: number) =>
    html`<form method="post" action="${TOKENS_PATH}">
      ${tokenField(session.formToken)}
      <input type="hidden" name="id" value="${token.id}" />
      ${
        organization !== undefined &&
        html`<input type="hidden" name="organization" value="${organization}" />`
      }
      <button class="small${kind}" name="action" value="${action}">${text}</button>
    </form>`
  const missing = organizations.filter(({id}) => !authorized.has(id))
  return html`<li>
    <div>
      <p>
        <strong>${token.note ?? 'Unnamed token'}</strong>
        <span class="tag">${tokenFormOf(token) === 'fine' ? 'fine-grained' : 'classic'}</span>
        <code>…${token.last_eight}</code>
      </p>
      <p class="soft">${allowed(token)}</p>
      <p class="soft">
        Created on ${dateText(token.created_at)},
        ${token.expires_at === null ? 'does not expire' : `expires on ${dateText(token.expires_at)}`},
        ${token.used_at === null ? 'never used' : `last used on ${dateText(token.used_at)}`}.
      </p>
    </div>
    ${missing.map(({id, name}) => button('authorize', `Authorize for ${name}`, '', id))}
    ${button('revoke', 'Revoke', ' danger')}
  </li>`
}

function allowed(token: TokenRow): string {
  const names = token.permissions?.split(' ') ?? scopesOf(token).map(shortScope)
  const text = names.join(', ').replaceAll('=', ': ')
  return text === '' ? 'Only your name and email address' : text
}

const DAY = 24 * 60 * 60 * 1000

/** GET /settings/tokens/new: the form for a new token; `?kind=fine` for a fine-grained one. */
export function newTokenPage(who: SignedIn): ServiceResponse {
  return newTokenForm(who, new Map(who.request.url.searchParams))
}

/** Returns the form with the submitted values, and the problem with them, if any. */
export function newTokenForm(
  who: SignedIn,
  form: FormValues,
  formProblem?: FormProblem,
): ServiceResponse {
  const isFine = form.get('kind') === 'fine'
  return settingsPage(who, 'tokens', {
    title: isFine ? 'New fine-grained token' : 'New classic token',
    status: formProblem?.status,
    body: html`<form method="post" action="${TOKENS_PATH}">
      ${problemNote(formProblem)}
      <label for="note">Name</label>
      <input
        id="note"
        name="note"
        value="${form.get('note')}"
        required
        autofocus
        maxlength="100"
        autocomplete="off"
        placeholder="for example nightly backup"
      />
      ${lifetimeField(isFine, form.get('days') ?? '30', who.now)}
      <fieldset>
        <legend>${isFine ? 'Permissions' : 'Scopes'}</legend>
        ${isFine ? permissionFields(form) : scopeFields(form)}
      </fieldset>
      ${organizationsNote(who, isFine)}
      <input type="hidden" name="kind" value="${isFine ? 'fine' : 'classic'}" />
      ${tokenField(who.session.formToken)}
      <div class="buttons">
        <a class="button" href="${TOKENS_PATH}">Cancel</a>
        <button class="main" name="action" value="create">Create token</button>
      </div>
    </form>`,
  })
}

function lifetimeField(isFine: boolean, days: string, now: number): Html {
  const option = (value: string, text: string) =>
    html`<option value="${value}" ${value === days && ' selected'}>${text}</option>`
  return html`<label for="days">Expiration</label>
    <select id="days" name="days">
      ${LIFETIMES.map(count => option(`${count}`, `${count} days (${dateText(now + count * DAY)})`))}
      ${!isFine && option('none', 'No expiration')}
    </select>`
}

function scopeFields(form: FormValues): Html[] {
  return Object.entries(scopeCatalog).map(([name, text]) => {
    const field = `scope:${name}`
    return html`<label class="choice">
      <input type="checkbox" name="${field}" value="on" ${form.has(field) && ' checked'} />
      <span>${name}<small>${text}</small></span>
    </label>`
  })
}

function permissionFields(form: FormValues): Html[] {
  const levels = {none: 'No access', read: 'Read', write: 'Read and write'}
  return Object.entries(permissionCatalog).map(([name, text]) => {
    const field = `permission:${name}`
    const options = Object.entries(levels).map(
      ([level, text]) =>
        html`<option value="${level}" ${form.get(field) === level && ' selected'}>${text}</option>`,
    )
    return html`<div class="level">
      <label for="${field}">${name}<small>${text}</small></label>
      <select id="${field}" name="${field}">
        ${options}
      </select>
    </div>`
  })
}

function organizationsNote({user, store, now}: SignedIn, isFine: boolean): Html {
  const names = ssoOrganizations(store, user, now).map(({name}) => name)
  if (names.length === 0) return html``
  return isFine
    ? html`<p class="note">
        The token will be authorized for single sign-on with ${names.join(', ')}.
      </p>`
    : html`<p class="note">
        After you create the token, authorize it for single sign-on with ${names.join(', ')}. Until
        then, it has no access to the shared drives of ${names.join(', ')}.
      </p>`
}
