import {FOLDER_TYPE, SHORTCUT_TYPE} from '#lib/api/wire.js'
import {harmless} from '#lib/platform/sanitize.js'
import {sizeText} from '#lib/platform/size-text.js'
import type {ServiceResponse} from '#lib/service/http/message.js'
import {type Html, html} from '#lib/service/oauth/pages/html.js'
import {changesOfFile} from '#lib/service/store/changes.js'
import {accessSection} from './access.js'
import {placeOf, trailList, trailOf} from './folder-page.js'
import {fileSizeText, nameHtml, nameText, timeHtml, typeText} from './format.js'
import {itemPath, pathWithQuery} from './paths.js'
import {preview, previewKind} from './preview.js'
import type {FileItem, RecordPage, RevisionItem} from './records.js'
import {dataTable} from './table.js'
import {runRead, type Visitor} from './visitor.js'
import {windowPage} from './window-page.js'

/** Returns the page with the preview, the details, the access, the revisions and the changes of an item. */
export async function filePage(visitor: Visitor, file: FileItem): Promise<ServiceResponse> {
  const trail = await trailOf(visitor, file)
  const shown = await preview(visitor, file)
  const isFolder = file.mimeType === FOLDER_TYPE
  return windowPage(visitor, {
    title: nameText(file.title),
    place: placeOf(visitor, file, trail),
    top: trailList(visitor, file, trail),
    hasFrames: true,
    body: html`<div class="head">
        <div><p class="soft">${summary(file)}</p></div>
        ${actions(file)}
      </div>
      ${file.labels.trashed && html`<p class="note">This item is in the trash.</p>`}
      <div class="columns">
        <div>
          ${
            shown &&
            html`<h2 id="preview">Preview</h2>
              ${shown}`
          }
          ${
            !shown &&
            !isFolder &&
            html`<h2 id="preview">Preview</h2>
              <p class="note">There is no preview of this file.</p>`
          }
          ${isFolder && detailsSection(file)} ${await revisionsSection(visitor, file)}
        </div>
        <div>
          ${!isFolder && detailsSection(file)} ${accessSection(visitor, file)}
          ${changesSection(visitor, file)}
        </div>
      </div>`,
  })
}

function summary(file: FileItem): Html {
  const {mimeType, modifiedDate, lastModifyingUserName: by} = file
  const size = fileSizeText(file)
  return html`${typeText(mimeType)}${size && ` · ${size}`} · modified
  ${timeHtml(modifiedDate)}${by && html` by ${nameHtml(by)}`}`
}

/** The links to open and download the content. */
function actions({
  id,
  mimeType,
  headRevisionId,
  exportLinks,
  capabilities,
  shortcutDetails,
}: FileItem): Html {
  // A PDF file could replace the page with one that its links name.
  const target = previewKind(mimeType) === 'pdf' && html` target="_blank" rel="noopener noreferrer"`
  const content = html`${
      previewKind(mimeType) &&
      html`<a class="button" href="${itemPath(id, 'content')}" ${target}>Open</a>`
    }<a class="button main" href="${itemPath(id, 'download')}">Download</a>`
  const exports = Object.keys(exportLinks ?? {}).map(
    type =>
      html`<a class="button" href="${pathWithQuery(itemPath(id, 'download'), {exportType: type})}"
        >Download as ${type}</a
      >`,
  )
  const {targetId} = shortcutDetails ?? {}
  return html`<div class="buttons">
    ${headRevisionId && capabilities.canDownload && content}${exports}
    ${targetId && html`<a class="button main" href="${itemPath(targetId)}">Open the target</a>`}
    ${mimeType === FOLDER_TYPE && html`<a class="button main" href="${itemPath(id)}">Open folder</a>`}
  </div>`
}

function detailsSection(file: FileItem): Html {
  const {owners, labels, properties = [], imageMediaMetadata: image} = file
  const facts: ReadonlyArray<readonly [string, Html | string | undefined | false]> = [
    [
      'Description',
      file.description && html`<span class="multi">${harmless(file.description)}</span>`,
    ],
    [
      'Media type',
      file.mimeType === SHORTCUT_TYPE ? undefined : html`<code>${nameText(file.mimeType)}</code>`,
    ],
    ['Size', exactSize(file)],
    ['Image', image && `${image.width} × ${image.height} pixels`],
    ['Owner', owners?.[0] && nameHtml(owners[0].displayName)],
    ['Created', timeHtml(file.createdDate)],
    ['Modified', timeHtml(file.modifiedDate)],
    ['Trashed', file.trashedDate !== undefined && timeHtml(file.trashedDate)],
    ['Starred', labels.starred && 'Yes'],
    ['Version', file.version],
    ['MD5', file.md5Checksum && html`<code>${file.md5Checksum}</code>`],
    ['ID', html`<code>${file.id}</code>`],
    ...properties.map(
      ({key, value, visibility}) =>
        [
          `Property`,
          html`${nameHtml(key)}: ${nameHtml(value)} <small>${visibility.toLowerCase()}</small>`,
        ] as const,
    ),
  ]
  return html`<section>
    <h2 id="details">Details</h2>
    <dl class="facts">
      ${facts.map(
        ([name, value]) =>
          value &&
          html`<dt>${name}</dt>
            <dd>${value}</dd>`,
      )}
    </dl>
  </section>`
}

function exactSize({fileSize}: FileItem): string | undefined {
  if (fileSize === undefined) return undefined
  const bytes = `${fileSize} bytes`
  return Number(fileSize) < 1024 ? bytes : `${sizeText(Number(fileSize))} (${bytes})`
}

/** Number of revisions that the page lists. */
const REVISIONS = 50

async function revisionsSection(visitor: Visitor, file: FileItem): Promise<Html | undefined> {
  if (!file.capabilities.canReadRevisions) return undefined
  const {items, nextPageToken} = await runRead<RecordPage<RevisionItem>>(
    visitor,
    'revisions.list',
    {fileId: file.id, maxResults: '1000'},
  )
  if (items.length === 0) return undefined
  const rows = items
    .slice(-REVISIONS)
    .reverse()
    .map(({id, modifiedDate, fileSize, pinned, lastModifyingUserName: by}) => {
      const link = pathWithQuery(itemPath(file.id, 'download'), {revisionId: id})
      return [
        fileSize === undefined
          ? timeHtml(modifiedDate)
          : html`<a href="${link}" aria-label="Download the revision of ${modifiedDate}"
              >${timeHtml(modifiedDate)}</a
            >`,
        fileSize === undefined ? undefined : sizeText(Number(fileSize)),
        by === undefined ? undefined : nameHtml(by),
        html`${id === file.headRevisionId && html`<span class="tag">current</span> `}${
          pinned && html`<span class="tag">pinned</span>`
        }`,
      ]
    })
  const isCut = nextPageToken !== undefined || items.length > REVISIONS
  return html`<section>
    <h2 id="revisions">Revisions</h2>
    ${dataTable(
      isCut ? `The newest ${REVISIONS} revisions` : `Newest first`,
      [{name: 'Saved'}, {name: 'Size', isNumber: true}, {name: 'By'}, {name: 'Status'}],
      rows,
    )}
  </section>`
}

/** Shows the entries of an item in the lists of changes that the visitor can read. */
function changesSection({store, user, context}: Visitor, file: FileItem): Html | undefined {
  const lines = [
    `user:${user.id}`,
    ...(file.driveId && file.capabilities.canReadDrive ? [`drive:${file.driveId}`] : []),
  ]
  const changes = context.store.read(() => changesOfFile(store, lines, file.id))
  if (changes.length === 0) return undefined
  return html`<section>
    <h2 id="changes">Changes</h2>
    ${dataTable(
      'The service keeps only the newest change of each item',
      [{name: 'Changed'}, {name: 'Change ID'}, {name: 'List'}],
      changes.map(({id, audience, changed_at}) => [
        timeHtml(new Date(changed_at).toISOString()),
        String(id),
        audience.startsWith('user:') ? 'Your changes' : 'Changes of the shared drive',
      ]),
    )}
  </section>`
}
