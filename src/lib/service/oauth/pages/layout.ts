import {createHash} from 'node:crypto'
import type {ServiceResponse} from '../../http.js'
import type {Html} from './html.js'
import {html} from './html.js'

const STYLE = `
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5b6675; --paper: #f4f6f9; --card: #fff;
  --line: #d5dbe4; --accent: #1f5fd0; --on-accent: #fff; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ecf2; --soft: #a3adbb; --paper: #12161c;
  --card: #1b212a; --line: #343d4a; --accent: #8ab4ff; --on-accent: #0b1a33; --bad: #ff9d94; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.5rem;
  background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
main { width: 100%; max-width: 27rem; padding: 2rem; background: var(--card);
  border: 1px solid var(--line); border-radius: 12px; }
h1 { margin: 0 0 .75rem; font-size: 1.35rem; line-height: 1.25; }
p, ul, dl { margin: 0 0 1rem; }
ul { padding-left: 1.2rem; }
dt { font-weight: 600; font-family: ui-monospace, monospace; }
dd { margin: 0 0 .75rem; }
label { display: block; margin-bottom: .35rem; font-weight: 600; }
input, select { width: 100%; padding: .6rem .75rem; margin-bottom: 1rem; font: inherit;
  color: inherit; background: var(--paper); border: 1px solid var(--line); border-radius: 8px; }
input.code { font: 600 1.5rem ui-monospace, monospace; letter-spacing: .12em; text-align: center;
  text-transform: uppercase; }
.buttons { display: flex; gap: .75rem; }
button { flex: 1; padding: .65rem 1rem; font: inherit; font-weight: 600; cursor: pointer;
  color: inherit; background: none; border: 1px solid var(--line); border-radius: 8px; }
button.main { color: var(--on-accent); background: var(--accent); border-color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.soft { color: var(--soft); font-size: .9rem; }
.bad { color: var(--bad); font-weight: 600; }
`

/** One page of the authorization service. */
export interface Page {
  readonly title: string
  readonly body: Html
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Where else than to the service itself the page's form may lead, as sources of a content policy. */
  readonly formTargets?: readonly string[]
}

/**
 * A page without scripts that nothing may frame, cache or load from elsewhere. The referrer stays
 * within the service: with none at all, browsers would hide from a form's target where it is from.
 */
export function page({
  title,
  body,
  status = 200,
  headers,
  formTargets = [],
}: Page): ServiceResponse {
  const styleHash = createHash('sha256').update(STYLE).digest('base64')
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ]
  const style: Html = {html: `<style>${STYLE}</style>`}
  const text = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        ${style}
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${body}
        </main>
      </body>
    </html> `
  return {
    status,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': policy.join('; '),
      'X-Frame-Options': 'DENY',
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'same-origin',
      ...headers,
    },
    body: text.html,
  }
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
