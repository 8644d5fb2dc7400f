import {shortScope} from '#lib/api/description/scopes.js'
import type {ServiceResponse} from '#lib/service/http/message.js'
import {
  authorizedOrganizations,
  authorizeForOrganization,
  type Organization,
  ssoOrganizations,
} from '#lib/service/oauth/store/organizations.js'
import {liveTokens, revokeToken} from '#lib/service/oauth/store/tokens.js'
import {makePersonalToken} from '#lib/service/oauth/tokens/personaltoken.js'
import {kindOf, scopesOf, type TokenRow} from '#lib/service/oauth/tokens/token.js'
import {formPage} from './form-page.js'
import {type Html, html} from './html.js'
import {type FormProblem, problemNote, tokenField} from './layout.js'
import {newTokenForm} from './newtoken.js'
import {TOKENS_PATH} from './paths.js'
import {dayText, settingsPage, type SignedIn, signedIn} from './settings.js'

/** /settings/tokens: `action` of its form is `create`, `revoke` or `authorize` (for the `organization`). */
export const tokensPage = formPage<SignedIn>({
  read: signedIn,
  question: (who, wrong) => listPage(who, {wrong}),
  decide(who, form) {
    const {store, now, user} = who
    if (form.get('action') === 'create') {
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
