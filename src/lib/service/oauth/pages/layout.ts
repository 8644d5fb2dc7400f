import {createHash} from 'node:crypto'
import type {ServiceResponse} from '#lib/service/http/message.js'
import {folderIcon, type Html, html} from './html.js'
import {STYLE} from './style.js'

/** One page of the authorization service. */
export interface PageContent {
  readonly title: string
  readonly body: Html
  /** What stands above the title. */
  readonly top?: Html
  /** What stands below the card. */
  readonly footer?: Html
  readonly width?: 'narrow' | 'wide'
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Whether other pages may frame it. Never one with a form: what is clicked there could be covered. */
  readonly isFramed?: boolean
  /** Where else than to the service itself the page's form may lead: addresses. */
  readonly formTargets?: readonly string[]
}

/**
 * A page without scripts that nothing may cache or load from elsewhere, nor frame unless it says so.
 * The referrer stays within the service: with none at all, browsers would hide from a form's target
 * where it is from.
 */
export function page({
  title,
  body,
  top,
  footer,
  width = 'narrow',
  status = 200,
  headers,
  formTargets = [],
  isFramed = false,
}: PageContent): ServiceResponse {
  const styleHash = createHash('sha256').update(STYLE).digest('base64')
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    `form-action ${["'self'", ...formTargets.map(policySource)].join(' ')}`,
    "img-src 'self'",
    ...(isFramed ? [] : ["frame-ancestors 'none'"]),
    "base-uri 'none'",
  ]
  const style: Html = {html: `<style>${STYLE}</style>`}
  const text = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <link rel="icon" href="/icons/folder.svg" />
        <title>${title}</title>
        ${style}
      </head>
      <body class="${width}">
        <div class="brand">${folderIcon} Local drive</div>
        <main>
          ${top}
          <h1>${title}</h1>
          ${body}
        </main>
        ${footer && html`<footer>${footer}</footer>`}
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

/** An address as a source of a content policy, which knows no IPv6 addresses. */
function policySource(address: string): string {
  const {protocol, host} = new URL(address)
  return /^https?:$/.test(protocol) && !host.startsWith('[') ? `${protocol}//${host}` : protocol
}

/** A page that says why something is not done. */
export function refusalPage(
  status: number,
  title: string,
  sentence: string,
  headers?: Readonly<Record<string, string>>,
): ServiceResponse {
  return page({status, title, body: html`<p role="alert">${sentence}</p>`, headers})
}

/** Sends a browser on; after a form it reads the next page with GET. */
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

/** What is wrong with a form that was sent, and the status that goes with it. */
export interface FormProblem {
  readonly status: number
  readonly problem: string
}

/** What is wrong with a form, above it. */
export function problemNote(wrong: FormProblem | undefined): Html | undefined {
  return wrong && html`<p class="bad" role="alert" id="problem">${wrong.problem}</p>`
}

/** The field that ties a form to the browser it is sent to. */
export function tokenField(formToken: string): Html {
  return html`<input type="hidden" name="authenticity_token" value="${formToken}" />`
}
