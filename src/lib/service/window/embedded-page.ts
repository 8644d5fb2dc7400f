import type {ServiceResponse} from '#lib/service/http/message.js'
import {type Html, html} from '#lib/service/oauth/pages/html.js'
import {page} from '#lib/service/oauth/pages/layout.js'
import {nameText} from './format.js'
import {itemPath} from './paths.js'
import {preview, previewKind} from './preview.js'
import type {FileItem} from './records.js'
import {WINDOW_STYLE} from './style.js'
import type {Visitor} from './visitor.js'

/** Pages that other sites may show in a frame, so they have no forms, and their links open new tabs. */

/** Returns the page with only the preview of an item. */
export async function embeddedPage(visitor: Visitor, file: FileItem): Promise<ServiceResponse> {
  // A viewer of PDF files cannot be in a frame of another site.
  const shown = previewKind(file.mimeType) === 'pdf' ? undefined : await preview(visitor, file)
  return framedPage(nameText(file.title), file.id, html`${shown}`)
}

/** Returns the page for a browser that is not signed in. Browsers send no cookies to frames in other sites. */
export function signedOutPage(fileId: string): ServiceResponse {
  return framedPage(
    'File of the local service',
    fileId,
    html`<p>This browser is not signed in.</p>`,
  )
}

function framedPage(title: string, fileId: string, body: Html): ServiceResponse {
  return page({
    title,
    isFramed: true,
    width: 'wide',
    style: WINDOW_STYLE,
    body: html`${body}
      <p>
        <a href="${itemPath(fileId)}" target="_blank" rel="noopener">Open in a new tab</a>
        <small>ID <code>${fileId}</code></small>
      </p>`,
  })
}
