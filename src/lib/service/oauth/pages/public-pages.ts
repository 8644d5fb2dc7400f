import {description} from '#lib/api/description/index.js'
import type {ServiceResponse} from '#lib/service/http/message.js'
import type {OauthCall} from '#lib/service/oauth/call.js'
import {oauthErrors} from '#lib/service/oauth/endpoints/answer.js'
import {openBrowserSession} from './browser-session.js'
import {type Html, html} from './html.js'
import {page, tokenField} from './layout.js'
import {
  APPLICATIONS_PATH,
  DEVICE_PATH,
  MY_DRIVE_PATH,
  signInAddress,
  START_PATH,
  TOKENS_PATH,
} from './paths.js'

/** GET /: the start page, which explains the service to anyone who opens its URL, signed in or not. */
export function startPage(call: OauthCall): ServiceResponse {
  const {origin} = call.request.url
  const session = openBrowserSession(call)
  const [user] = session.users
  const {servicePath, documentationLink, name, version} = description
  const list = '/discovery/v1/apis'
  return page({
    title: 'The local service of drv',
    width: 'wide',
    headers: session.headers,
    body: html`<p>
        This file service is part of <code>drv</code> and has its own accounts and files. It runs
        until the program that started it (such as <code>drv local serve</code>) ends.
      </p>
      ${
        user
          ? html`<p class="note">This browser is signed in as <strong>${user.login}</strong>.</p>`
          : html`<p class="note">
              You are not signed in.
              <a href="${signInAddress({return_to: START_PATH})}">Sign in</a>
            </p>`
      }
      <h2>In this browser</h2>
      ${links([
        [MY_DRIVE_PATH, 'Files', 'browse the files in your account'],
        [TOKENS_PATH, 'Tokens', 'create or revoke access tokens for scripts and tests'],
        [APPLICATIONS_PATH, 'Apps', 'review or revoke the access of apps to your account'],
        [DEVICE_PATH, 'Connect a device', 'enter the code that an app or device shows'],
      ])}
      <h2>Connect a client</h2>
      <dl>
        <dt>export DRV_BASE_URL=${origin}</dt>
        <dd>Select this service for drv</dd>
        <dt>drv auth login</dt>
        <dd>Sign drv in to this service</dd>
        <dt>drv local approve CODE</dt>
        <dd>Approve the code that drv auth login shows, without a browser</dd>
        <dt>export DRV_TOKEN=$(drv local token)</dt>
        <dd>
          Set a token for a script; if <code>drv local serve</code> runs with <code>--data</code>,
          pass the same <code>--data</code> here
        </dd>
        <dt>curl -H "Authorization: Bearer $DRV_TOKEN" ${origin}/${servicePath}about</dt>
        <dd>Send a request from any other HTTP client</dd>
      </dl>
      <h2>API</h2>
      ${links([
        [new URL(documentationLink!).pathname, 'API reference', 'all methods'],
        [`${list}/${name}/${version}/rest`, 'API description', 'all methods in JSON, for programs'],
        [list, 'Discovery list', 'links to the description, for programs'],
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

function links(items: ReadonlyArray<readonly [path: string, name: string, text: string]>): Html {
  return html`<ul>
    ${items.map(([path, name, text]) => html`<li><a href="${path}">${name}</a>: ${text}</li>`)}
  </ul>`
}

/** Lists the errors of the authorization endpoints; `error_uri` in their responses links here. */
export function errorsPage(): ServiceResponse {
  const entries = Object.entries(oauthErrors).map(
    ([code, description]) =>
      html`<dt id="${code}">${code}</dt>
        <dd>${description}</dd>`,
  )
  return page({title: 'Sign-in errors', body: html`<dl>${entries}</dl>`})
}

/** The page for an unknown path. */
export function notFoundPage(path: string): ServiceResponse {
  return page({
    title: 'Page not found',
    status: 404,
    body: html`<p role="alert">The local service has no page at <code>${path}</code>.</p>
      <p><a href="${START_PATH}">Start page</a> · <a href="${TOKENS_PATH}">Tokens</a></p>`,
  })
}
