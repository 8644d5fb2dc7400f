import type {ServiceResponse} from '#lib/service/http/message.js'
import {type Html, html} from '#lib/service/oauth/pages/html.js'
import {MY_DRIVE_PATH} from '#lib/service/oauth/pages/paths.js'
import {fileList} from './file-list.js'
import {nameHtml, nameText} from './format.js'
import {DRIVES_PATH, itemPath, SHARED_PATH, TRASH_PATH} from './paths.js'
import type {FileItem} from './records.js'
import {runRead, type Visitor} from './visitor.js'
import {windowPage, type WindowPlace} from './window-page.js'

/** Returns the page that lists a folder. */
export async function folderPage(visitor: Visitor, folder: FileItem): Promise<ServiceResponse> {
  const trail = await trailOf(visitor, folder)
  return windowPage(visitor, {
    title: nameText(folder.title),
    place: placeOf(visitor, folder, trail),
    top: trailList(visitor, folder, trail),
    body: html`<p class="soft">
        <a href="${itemPath(folder.id, 'details')}">Details and access</a>
      </p>
      ${await fileList(visitor, {
        search: {q: `'${folder.id}' in parents and trashed = ${folder.labels.trashed}`},
        empty: 'This folder is empty.',
      })}`,
  })
}

/** Maximum number of folders above an item that a page names. */
const DEPTH = 20

/** Reads the folders above an item that the visitor can see, from the top. */
export async function trailOf(visitor: Visitor, item: FileItem): Promise<readonly FileItem[]> {
  const trail: FileItem[] = []
  for (let {parents} = item; parents[0] && trail.length < DEPTH;) {
    const parent = await runRead<FileItem>(visitor, 'files.get', {fileId: parents[0].id})
    trail.unshift(parent)
    parents = parent.parents
  }
  return trail
}

/** Returns the place that an item belongs to. */
export function placeOf(
  {user}: Visitor,
  {id, driveId, labels}: FileItem,
  trail: readonly FileItem[],
): WindowPlace {
  if (labels.trashed) return TRASH_PATH
  if (driveId) return DRIVES_PATH
  return (trail[0]?.id ?? id) === user.root_id ? MY_DRIVE_PATH : SHARED_PATH
}

const TOPS: Readonly<Record<WindowPlace, string>> = {
  [MY_DRIVE_PATH]: 'My Drive',
  [SHARED_PATH]: 'Shared with me',
  [DRIVES_PATH]: 'Shared drives',
  [TRASH_PATH]: 'Trash',
}

/** Shows the path to an item as links. */
export function trailList(
  visitor: Visitor,
  item: FileItem,
  trail: readonly FileItem[],
): Html | undefined {
  const place = placeOf(visitor, item, trail)
  const isRoot = item.id === visitor.user.root_id
  // The root folder of My Drive and the place are the same.
  const folders = trail.filter(({id}) => id !== visitor.user.root_id)
  if (isRoot) return undefined
  return html`<nav aria-label="Path" class="path">
    <ol class="trail">
      <li><a href="${place}">${TOPS[place]}</a></li>
      ${folders.map(({id, title}) => html`<li><a href="${itemPath(id)}">${nameHtml(title)}</a></li>`)}
    </ol>
  </nav>`
}
