import {scopeCatalog, shortScope} from '#lib/api/description/scopes.js'
import type {ServiceResponse} from '#lib/service/http/message.js'
import {
  authorizedOrganizations,
  authorizeForOrganization,
  type Organization,
  ssoOrganizations,
} from '#lib/service/oauth/store/organizations.js'
import {liveTokens, revokeToken} from '#lib/service/oauth/store/tokens.js'
import {permissionCatalogue} from '#lib/service/oauth/tokens/permissions.js'
import {LIFETIMES, makePersonalToken} from '#lib/service/oauth/tokens/personal-token.js'
import {kindOf, scopesOf, type TokenRow} from '#lib/service/oauth/tokens/token.js'
import {formPage, type Values} from './form-page.js'
import {type Html, html} from './html.js'
import {type FormProblem, problemNote, tokenField} from './layout.js'
import {TOKENS_PATH} from './paths.js'
import {dayText, settingsPage, type SignedIn, signedIn} from './settings.js'

/** /settings/tokens: `action` of its form is `create`, `revoke` or `authorize` (for the `organization`). */
export const tokensPage = formPage<SignedIn>({
  read: signedIn,
  question: (who, wrong) => listPage(who, {wrong}),
  decide(who, form) {
    const {store, now, user} = who
    if (form.get('action') === 'create') {
      // A form that a browser sends again, as on a reload, makes no second token.
      const note = form.get('note')?.trim()
      if (liveTokens(store, user.id, null, now).some(token => token.note === note)) {
        const problem = `You have a token “${note ?? ''}” already. Choose another name, or revoke that one.`
        return newTokenForm(who, form, {status: 409, problem})
      }
      const made = makePersonalToken(who, user, form)
      return typeof made === 'string'
        ? newTokenForm(who, form, {status: 400, problem: made})
        : listPage(who, {secret: made.token})
    }
    const id = Number(form.get('id'))
    const token = liveTokens(store, user.id, null, now).find(one => one.id === id)
    if (!token) return {status: 404, problem: 'There is no such token.'}
    if (form.get('action') === 'revoke') {
      revokeToken(store, token.id, now)
      const done = `The token “${token.note ?? ''}” is revoked: it opens nothing any more.`
      return listPage(who, {done})
    }
    const organization = ssoOrganizations(store, user, now).find(
      one => `${one.id}` === form.get('organization'),
    )
    if (form.get('action') !== 'authorize' || !organization) {
      return {status: 400, problem: 'This page cannot do what the form asks for.'}
    }
    authorizeForOrganization(store, token.id, organization.id)
    return listPage(who, {done: `The token is authorized for ${organization.name}.`})
  },
})

/** What has just been done about tokens. */
interface Outcome {
  readonly wrong?: FormProblem
  /** A new token. */
  readonly secret?: string
  readonly done?: string
}

/** The personal access tokens of the account (spec: authorization.md, Authentication 6). */
function listPage(who: SignedIn, {wrong, secret, done}: Outcome): ServiceResponse {
  const {store, now, user} = who
  const organizations = ssoOrganizations(store, user, now)
  const tokens = [...liveTokens(store, user.id, null, now)].reverse()
  const items = tokens.map(token => tokenItem(who, token, organizations))
  return settingsPage(who, 'tokens', {
    title: 'Personal access tokens',
    status: wrong?.status,
    body: html`${problemNote(wrong)} ${done && html`<p class="good" role="status">${done}</p>`}
      ${secret && secretNote(secret)}
      <p class="soft">
        With one of these a script or a test acts as you. Keep them secret: whoever has one can do
        what it allows.
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

/** The only time that anybody gets to see a token. */
function secretNote(secret: string): Html {
  return html`<div class="good" role="status">
      <label for="secret">Your new token. Copy it now: it is shown only this once.</label>
      <textarea class="secret" id="secret" readonly autofocus rows="2" spellcheck="false">
${secret}</textarea>
      <small>
        Keep it with <code>drv auth login --with-token</code>, or set <code>DRV_TOKEN</code> to it.
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
        <strong>${token.note ?? 'Without a note'}</strong>
        <span class="tag">${kindOf(token) === 'fine' ? 'fine-grained' : 'classic'}</span>
        <code>…${token.last_eight}</code>
      </p>
      <p class="soft">${allowed(token)}</p>
      <p class="soft">
        Made on ${dayText(token.created_at)},
        ${token.expires_at === null ? 'has no end date' : `ends on ${dayText(token.expires_at)}`},
        ${token.used_at === null ? 'never used' : `last used on ${dayText(token.used_at)}`}.
      </p>
    </div>
    ${missing.map(({id, name}) => button('authorize', `Authorize for ${name}`, '', id))}
    ${button('revoke', 'Revoke', ' danger')}
  </li>`
}

function allowed(token: TokenRow): string {
  const names = token.permissions?.split(' ') ?? scopesOf(token).map(shortScope)
  const text = names.join(', ').replaceAll('=', ': ')
  return text === '' ? 'It may only see who you are.' : text
}

const DAY = 24 * 60 * 60 * 1000

/** GET /settings/tokens/new: the form for a new token; `?kind=fine` for a fine-grained one. */
export function newTokenPage(who: SignedIn): ServiceResponse {
  return newTokenForm(who, new Map(who.request.url.searchParams))
}

/** The form with what was filled in, and what is wrong with it. */
export function newTokenForm(who: SignedIn, form: Values, wrong?: FormProblem): ServiceResponse {
  const isFine = form.get('kind') === 'fine'
  return settingsPage(who, 'tokens', {
    title: isFine ? 'New fine-grained token' : 'New classic token',
    status: wrong?.status,
    body: html`<form method="post" action="${TOKENS_PATH}">
      ${problemNote(wrong)}
      <label for="note">What is it for?</label>
      <input
        id="note"
        name="note"
        value="${form.get('note')}"
        required
        autofocus
        maxlength="100"
        autocomplete="off"
        placeholder="such as nightly backup"
      />
      ${lifetimeField(isFine, form.get('days') ?? '30', who.now)}
      <fieldset>
        <legend>What may it do?</legend>
        ${isFine ? permissionFields(form) : scopeFields(form)}
      </fieldset>
      ${organizationsNote(who, isFine)}
      <input type="hidden" name="kind" value="${isFine ? 'fine' : 'classic'}" />
      ${tokenField(who.session.formToken)}
      <div class="buttons">
        <a class="button" href="${TOKENS_PATH}">Cancel</a>
        <button class="main" name="action" value="create">Create the token</button>
      </div>
    </form>`,
  })
}

function lifetimeField(isFine: boolean, days: string, now: number): Html {
  const option = (value: string, text: string) =>
    html`<option value="${value}" ${value === days && ' selected'}>${text}</option>`
  return html`<label for="days">How long will it work?</label>
    <select id="days" name="days">
      ${LIFETIMES.map(count => option(`${count}`, `${count} days, to ${dayText(now + count * DAY)}`))}
      ${!isFine && option('none', 'Until you revoke it')}
    </select>`
}

function scopeFields(form: Values): Html[] {
  return Object.entries(scopeCatalog).map(([name, text]) => {
    const field = `scope:${name}`
    return html`<label class="choice">
      <input type="checkbox" name="${field}" value="on" ${form.has(field) && ' checked'} />
      <span>${name}<small>${text}</small></span>
    </label>`
  })
}

function permissionFields(form: Values): Html[] {
  const levels = {none: 'No access', read: 'Read', write: 'Read and write'}
  return Object.entries(permissionCatalogue).map(([name, text]) => {
    const field = `permission:${name}`
    const options = Object.entries(levels).map(
      ([level, words]) =>
        html`<option value="${level}" ${form.get(field) === level && ' selected'}>
          ${words}
        </option>`,
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
    ? html`<p class="note">It will be authorized for single sign-on with ${names.join(', ')}.</p>`
    : html`<p class="note">
        Once the token is made, authorize it for single sign-on with ${names.join(', ')}. Until then
        it does not open what is in their shared drives.
      </p>`
}
