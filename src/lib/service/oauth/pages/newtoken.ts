import {scopeCatalogue} from '#lib/api/description/scopes.js'
import type {ServiceResponse} from '#lib/service/http/message.js'
import {ssoOrganizations} from '#lib/service/oauth/store/organizations.js'
import {permissionCatalogue} from '#lib/service/oauth/tokens/permissions.js'
import {LIFETIMES} from '#lib/service/oauth/tokens/tokenwish.js'
import type {Values} from './form-page.js'
import {type Html, html} from './html.js'
import {type FormProblem, problemNote, tokenField} from './layout.js'
import {TOKENS_PATH} from './paths.js'
import {dayText, settingsPage, type SignedIn} from './settings.js'

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
  return Object.entries(scopeCatalogue).map(([name, text]) => {
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
