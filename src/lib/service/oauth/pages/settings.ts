import type {ServiceResponse} from '#lib/service/http/message.js'
import type {OauthCall} from '#lib/service/oauth/call.js'
import type {Access} from '#lib/service/oauth/store/access.js'
import type {User} from '#lib/service/store/users.js'
import {type BrowserSession, openBrowserSession} from './browser-session.js'
import {type Html, html} from './html.js'
import {page, redirect, tokenField} from './layout.js'
import {APPLICATIONS_PATH, signInAddress, TOKENS_PATH} from './paths.js'

/** A request from a browser with an account in use. */
export interface SignedIn extends OauthCall {
  readonly session: BrowserSession
  readonly user: User
}

/** Who looks at the settings, or the way to the sign-in page. */
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

/** A page of the settings: with their menu, and the account they are about. */
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

/** What an app has by now of the access that a user gave it. */
export function accessText({tokens}: Access): string {
  const newest = tokens.at(-1)
  if (!newest) return 'It has not fetched its token yet.'
  const count = tokens.length === 1 ? '1 token' : `${tokens.length} tokens`
  return `It has ${count}, the newest made on ${dayText(newest.created_at)}.`
}

/** A day as people write it: 21 November 2026. */
export function dayText(time: number): string {
  const options = {day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC'} as const
  return new Intl.DateTimeFormat('en-GB', options).format(time)
}
