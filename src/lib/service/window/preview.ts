import {EDITOR_TYPE_PREFIX} from '#lib/api/wire.js'
import {harmless} from '#lib/platform/sanitize.js'
import {sizeText} from '#lib/platform/size-text.js'
import {type Html, html} from '#lib/service/oauth/pages/html.js'
import {DamagedContent, storedOf} from '#lib/service/store/content/damage.js'
import {nameText} from './format.js'
import {isPassivePdf} from './passive-pdf.js'
import {itemPath, pathWithQuery} from './paths.js'
import type {FileItem} from './records.js'
import {readFileContent, type Visitor} from './visitor.js'

/** How a page shows the content of a file. */
export type PreviewKind = 'image' | 'pdf' | 'text'

/** Image formats that browsers show. None of them can run scripts or load resources in an `img` element. */
const IMAGES = ['png', 'jpeg', 'gif', 'webp', 'avif', 'bmp', 'svg+xml'].map(name => `image/${name}`)

/** Media types of text other than `text/…`. */
const TEXTS =
  /^(?:text\/.*|application\/(?:(?:.*\+)?(?:json|xml|yaml)|x-yaml|toml|javascript|x-sh|x-ndjson|sql|graphql))$/

/** Number of bytes of a text that a page shows. */
const TEXT_LIMIT = 64 * 1024

/** Returns how pages show content of this media type; `undefined` if they do not. */
export function previewKind(mimeType: string): PreviewKind | undefined {
  if (IMAGES.includes(mimeType)) return 'image'
  if (mimeType === 'application/pdf') return 'pdf'
  return TEXTS.test(mimeType) ? 'text' : undefined
}

/** Shows the content of a file; `undefined` if it has none or cannot be shown. */
export async function preview(visitor: Visitor, file: FileItem): Promise<Html | undefined> {
  if (!file.capabilities.canDownload) return undefined
  const exported = exportedText(file)
  const kind = exported ? 'text' : file.headRevisionId && previewKind(file.mimeType)
  const source = itemPath(file.id, 'content')
  const label = `Preview of ${nameText(file.title)}`
  if (kind === 'image')
    return html`<div class="preview"><img src="${source}" alt="${label}" /></div>`
  if (kind === 'pdf') return pdfPreview(visitor, file, label)
  return kind === 'text' ? textPreview(visitor, file, label, exported) : undefined
}

/** Size in bytes of the largest PDF file that a page shows. */
const PDF_LIMIT = 16 * 1024 * 1024

async function pdfPreview(visitor: Visitor, file: FileItem, label: string): Promise<Html> {
  // The revision that has been checked is the one that the frame loads.
  const source = pathWithQuery(itemPath(file.id, 'content'), {revisionId: file.headRevisionId})
  const isSmall = Number(file.fileSize) <= PDF_LIMIT
  const start = isSmall ? await contentStart(visitor, file, undefined, PDF_LIMIT) : undefined
  if (start && isPassivePdf(start.bytes)) {
    return html`<div class="preview">
      <iframe src="${source}#navpanes=0&view=FitH" title="${label}"></iframe>
    </div>`
  }
  return html`<p class="note">
    This PDF file may contain scripts, links or forms.
    <a href="${source}" target="_blank" rel="noopener noreferrer">Open it in a new tab</a>
  </p>`
}

/** Returns the media type of text that a document can be exported to. */
function exportedText({mimeType, exportLinks = {}}: FileItem): string | undefined {
  if (!mimeType.startsWith(EDITOR_TYPE_PREFIX)) return undefined
  return ['text/plain', 'text/csv'].find(type => type in exportLinks)
}

async function textPreview(
  visitor: Visitor,
  file: FileItem,
  label: string,
  exported: string | undefined,
): Promise<Html | undefined> {
  const start = await contentStart(visitor, file, exported, TEXT_LIMIT)
  // Text of any encoding other than UTF-16 and UTF-32 has no zero bytes.
  if (!start || start.bytes.includes(0)) return undefined
  if (start.size === 0) return html`<p class="note">The file is empty.</p>`
  const text = new TextDecoder().decode(start.bytes)
  const isCut = start.bytes.length < start.size
  return html`<pre class="preview" tabindex="0" role="region" aria-label="${label}">
${harmless(text.replaceAll('\r\n', '\n'))}</pre>
    ${
      isCut &&
      html`<p class="soft">
        The first ${sizeText(start.bytes.length)} of ${sizeText(start.size)} are shown.
      </p>`
    }`
}

/** Returns the first bytes of the content, and its size; `undefined` if the content is damaged. */
async function contentStart(
  visitor: Visitor,
  {id, headRevisionId}: FileItem,
  exported: string | undefined,
  limit: number,
) {
  const {content} = exported
    ? await readFileContent(visitor, 'files.export', {fileId: id, mimeType: exported})
    : await readFileContent(visitor, 'files.get', {
        fileId: id,
        ...(headRevisionId && {revisionId: headRevisionId}),
      })
  if ('text' in content) {
    const bytes = Buffer.from(content.text)
    return {bytes: bytes.subarray(0, limit), size: bytes.length}
  }
  const {size} = content
  try {
    return {bytes: visitor.store.content.readAll(storedOf(content), limit), size}
  } catch (error) {
    if (error instanceof DamagedContent) return undefined
    throw error
  }
}
