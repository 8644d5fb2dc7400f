import {createHash} from 'node:crypto'
import type {ServiceResponse} from '#lib/service/http/message.js'
import {folderIcon, type Html, html} from './html.js'
import {STYLE} from './style.js'

/** One page of the authorization service. */
export interface PageContent {
  readonly title: string
  readonly body: Html
  /** Content above the title. */
  readonly top?: Html
  /** Content below the card. */
  readonly footer?: Html
  /** Content above the card (default: the name of the service). */
  readonly header?: Html
  readonly width?: 'narrow' | 'wide' | 'full'
  /** CSS in addition to that of all pages. */
  readonly style?: string
  /** A script of the page. It may connect to the service only. */
  readonly script?: string
  /** Seconds after which browsers without JavaScript load the page again. */
  readonly refresh?: number
  /** Whether the page shows other resources of the service in frames. */
  readonly hasFrames?: boolean
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Whether other sites may frame the page. Must be false for forms, to prevent clickjacking. */
  readonly isFramed?: boolean
  /** URLs outside the service that the form may redirect to. */
  readonly formTargets?: readonly string[]
}

/**
 * Returns a page without external resources, and without scripts other than `script`. It must not be cached, and only framed if
 * `isFramed`. The referrer policy is `same-origin`, because browsers send no usable `Origin` header with a
 * form if there is no referrer at all.
 */
export function page({
  title,
  body,
  top,
  footer,
  header,
  width = 'narrow',
  style: more = '',
  script,
  refresh,
  hasFrames = false,
  status = 200,
  headers,
  formTargets = [],
  isFramed = false,
}: PageContent): ServiceResponse {
  const css = STYLE + more
  const policy = [
    "default-src 'none'",
    `style-src '${sourceHash(css)}'`,
    ...(script === undefined ? [] : [`script-src '${sourceHash(script)}'`, "connect-src 'self'"]),
    `form-action ${["'self'", ...formTargets.map(policySource)].join(' ')}`,
    "img-src 'self'",
    ...(hasFrames ? ["frame-src 'self'"] : []),
    ...(isFramed ? [] : ["frame-ancestors 'none'"]),
    "base-uri 'none'",
  ]
  const style: Html = {html: `<style>${css}</style>`}
  const text = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <link rel="icon" href="/icons/folder.svg" />
        <title>${title}</title>
        ${style}
        ${refresh && html`<noscript><meta http-equiv="refresh" content="${refresh}" /></noscript>`}
      </head>
      <body class="${width}">
        ${header ?? html`<div class="brand">${folderIcon} Local drive</div>`}
        <main id="main">
          ${top}
          <h1>${title}</h1>
          ${body}
        </main>
        ${footer && html`<footer>${footer}</footer>`}
        ${script !== undefined && {html: `<script>${script}</script>`}}
      </body>
    </html> `
  return {
    status,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': policy.join('; '),
      ...(!isFramed && {'X-Frame-Options': 'DENY'}),
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'same-origin',
      ...headers,
    },
    body: text.html,
  }
}

/** Returns the hash that allows an inline style or script in a content security policy. */
function sourceHash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}

/** Returns a URL as a source of a content security policy, which does not support IPv6 addresses. */
function policySource(address: string): string {
  const {protocol, host} = new URL(address)
  return /^https?:$/.test(protocol) && !host.startsWith('[') ? `${protocol}//${host}` : protocol
}

/** Returns an error page with a title and a sentence, whose parts in backquotes are shown as code. */
export function refusalPage(
  status: number,
  title: string,
  sentence: string,
  headers?: Readonly<Record<string, string>>,
): ServiceResponse {
  return page({status, title, body: html`<p role="alert">${withCode(sentence)}</p>`, headers})
}

function withCode(sentence: string): Html {
  const parts = sentence.split('`')
  return html`${parts.map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : part))}`
}

/** Returns a redirect (302), which browsers follow with GET even after a form. */
export function redirect(
  location: string,
  headers: Readonly<Record<string, string>> = {},
): ServiceResponse {
  return {
    status: 302,
    headers: {
      Location: location,
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
      ...headers,
    },
  }
}

/** The problem of a submitted form as a sentence, and the HTTP status. */
export interface FormProblem {
  readonly status: number
  readonly problem: string
}

/** Shows the problem of a form, to insert above the form. */
export function problemNote(formProblem: FormProblem | undefined): Html | undefined {
  return formProblem && html`<p class="bad" role="alert" id="problem">${formProblem.problem}</p>`
}

/** The hidden field that ties a form to the browser session. */
export function tokenField(formToken: string): Html {
  return html`<input type="hidden" name="authenticity_token" value="${formToken}" />`
}
