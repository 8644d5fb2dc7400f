import type {ServiceResponse} from '#lib/service/http/message.js'
import type {OauthCall} from '#lib/service/oauth/call.js'
import type {Access} from '#lib/service/oauth/store/access.js'
import type {User} from '#lib/service/store/users.js'
import {type BrowserSession, openBrowserSession} from './browser-session.js'
import {type Html, html} from './html.js'
import {page, redirect, tokenField} from './layout.js'
import {APPLICATIONS_PATH, signInAddress, TOKENS_PATH} from './paths.js'

/** A request from a browser with a signed-in account. */
export interface SignedIn extends OauthCall {
  readonly session: BrowserSession
  readonly user: User
}

/** Returns the signed-in account of a request, or a redirect to the sign-in page. */
export function signedIn(call: OauthCall): SignedIn | ServiceResponse {
  const session = openBrowserSession(call)
  const [user] = session.users
  const {pathname, search} = call.request.url
  return user ? {...call, session, user} : redirect(signInAddress({return_to: pathname + search}))
}

const MENU = [
  {name: 'tokens', path: TOKENS_PATH, title: 'Tokens'},
  {name: 'applications', path: APPLICATIONS_PATH, title: 'Apps'},
] as const

/** Returns a settings page with the menu and the account. */
export function settingsPage(
  {session, user}: SignedIn,
  current: (typeof MENU)[number]['name'],
  {title, body, status}: {title: string; body: Html; status?: number},
): ServiceResponse {
  const items = MENU.map(
    ({name, path, title: text}) =>
      html`<a href="${path}" ${name === current && html` aria-current="page"`}>${text}</a>`,
  )
  const here = MENU.find(({name}) => name === current)!.path
  return page({
    title,
    status,
    headers: session.headers,
    width: 'wide',
    top: html`<nav aria-label="Settings">${items}</nav>`,
    body,
    footer: html`<form method="post" action="/logout">
      ${tokenField(session.formToken)} Settings of <strong>${user.login}</strong> (${user.email}).
      <a href="${signInAddress({return_to: here})}">Switch account</a> or
      <button class="link">sign out</button>.
    </form>`,
  })
}

/** Describes the tokens that an app has for a user. */
export function accessText({tokens}: Access): string {
  const newest = tokens.at(-1)
  if (!newest) return 'The app has not requested its token yet.'
  const date = dateText(newest.created_at)
  return tokens.length === 1
    ? `1 token, created on ${date}.`
    : `${tokens.length} tokens, the newest created on ${date}.`
}

/** Formats the date of a time in ISO 8601, in UTC: 2026-11-21. */
export function dateText(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}
