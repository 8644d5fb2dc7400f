import {description} from '#lib/api/description/index.js'
import type {ServiceResponse} from '#lib/service/http/message.js'
import type {OauthCall} from '#lib/service/oauth/call.js'
import {oauthErrors} from '#lib/service/oauth/endpoints/answer.js'
import {openBrowserSession} from './browser-session.js'
import {type Html, html} from './html.js'
import {page, tokenField} from './layout.js'
import {APPLICATIONS_PATH, DEVICE_PATH, signInAddress, START_PATH, TOKENS_PATH} from './paths.js'

/** GET /: what this address is, for whoever opens it in a browser, signed in or not. */
export function startPage(call: OauthCall): ServiceResponse {
  const {origin} = call.request.url
  const session = openBrowserSession(call)
  const [user] = session.users
  const {servicePath, documentationLink, name, version} = description
  const list = '/discovery/v1/apis'
  return page({
    title: 'A file service on this machine',
    width: 'wide',
    headers: session.headers,
    body: html`<p>
        This is the service that is inside <code>drv</code>, with its own accounts and files. It
        answers until <code>drv local serve</code> ends; what is kept in it stays.
      </p>
      ${
        user
          ? html`<p class="note">This browser is signed in as <strong>${user.login}</strong>.</p>`
          : html`<p class="note">
              Nobody is signed in with this browser.
              <a href="${signInAddress({return_to: START_PATH})}">Sign in</a>
            </p>`
      }
      <h2>In this browser</h2>
      ${links([
        [TOKENS_PATH, 'Tokens', 'make one for a script or a test, or revoke one'],
        [APPLICATIONS_PATH, 'Apps', 'see which may use your account, and take that back'],
        [DEVICE_PATH, 'Enter a code', 'let in an app or a device that shows one'],
      ])}
      <h2>Point a client here</h2>
      <dl>
        <dt>export DRV_BASE_URL=${origin}</dt>
        <dd>drv works with this service from then on</dd>
        <dt>drv auth login</dt>
        <dd>signs drv in to it, for a person</dd>
        <dt>drv local approve CODE</dt>
        <dd>approves the code that it shows, without a browser</dd>
        <dt>export DRV_TOKEN=$(drv local token)</dt>
        <dd>
          does that for a script; with the same <code>--data</code> as <code>drv local serve</code>,
          where that has it
        </dd>
        <dt>curl -H "Authorization: Bearer $DRV_TOKEN" ${origin}/${servicePath}about</dt>
        <dd>is how any other client asks: with the token in this header</dd>
      </dl>
      <h2>What it can do</h2>
      ${links([
        [new URL(documentationLink!).pathname, 'All methods', 'to read'],
        [`${list}/${name}/${version}/rest`, 'The description', 'of all of them, for programs'],
        [list, 'The list of descriptions', 'as a program looks for them'],
      ])}`,
    footer:
      user &&
      html`<form method="post" action="/logout">
        ${tokenField(session.formToken)}
        <a href="${signInAddress({return_to: START_PATH})}">Switch account</a> or
        <button class="link">sign out</button>.
      </form>`,
  })
}

function links(items: ReadonlyArray<readonly [path: string, name: string, what: string]>): Html {
  return html`<ul>
    ${items.map(([path, name, what]) => html`<li><a href="${path}">${name}</a>: ${what}</li>`)}
  </ul>`
}

/** What each error of the authorization endpoints means; `error_uri` of their answers points here. */
export function errorsPage(): ServiceResponse {
  const entries = Object.entries(oauthErrors).map(
    ([code, description]) =>
      html`<dt id="${code}">${code}</dt>
        <dd>${description}</dd>`,
  )
  return page({title: 'Errors of the sign-in', body: html`<dl>${entries}</dl>`})
}

/** What a browser gets for a path that leads nowhere. */
export function notFoundPage(path: string): ServiceResponse {
  return page({
    title: 'Page not found',
    status: 404,
    body: html`<p role="alert">There is nothing at <code>${path}</code>.</p>
      <p><a href="${START_PATH}">Start page</a> · <a href="${TOKENS_PATH}">Tokens</a></p>`,
  })
}
