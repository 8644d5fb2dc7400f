import type {ServiceResponse} from '#lib/service/http/message.js'
import {folderIcon, html} from '#lib/service/oauth/pages/html.js'
import {fileList} from './file-list.js'
import {countText, nameHtml, timeHtml} from './format.js'
import {DRIVES_PATH, itemPath, SHARED_PATH, TRASH_PATH} from './paths.js'
import type {DriveItem, RecordPage} from './records.js'
import {dataTable} from './table.js'
import {runRead, type Visitor} from './visitor.js'
import {windowPage} from './window-page.js'

/** Pages of items that are not the contents of one folder. */

/** Returns the page of items that others have shared with the account. */
export async function sharedPage(visitor: Visitor): Promise<ServiceResponse> {
  return windowPage(visitor, {
    title: 'Shared with me',
    place: SHARED_PATH,
    body: await fileList(visitor, {
      search: {q: 'sharedWithMe and trashed = false'},
      date: {name: 'Shared', of: ({sharedWithMeDate}) => sharedWithMeDate},
      empty: 'Nobody has shared an item with this account.',
    }),
  })
}

/** Returns the page of items in the trash of My Drive and of all shared drives. */
export async function trashPage(visitor: Visitor): Promise<ServiceResponse> {
  return windowPage(visitor, {
    title: 'Trash',
    place: TRASH_PATH,
    body: await fileList(visitor, {
      search: {q: 'trashed = true'},
      empty: 'The trash is empty.',
    }),
  })
}

/** Returns the page of shared drives that the account is a member of. */
export async function drivesPage(visitor: Visitor): Promise<ServiceResponse> {
  const {items} = await runRead<RecordPage<DriveItem>>(visitor, 'drives.list', {
    maxResults: '100',
  })
  return windowPage(visitor, {
    title: 'Shared drives',
    place: DRIVES_PATH,
    body:
      items.length === 0
        ? html`<p class="note">This account is not a member of any shared drive.</p>`
        : dataTable(
            countText(items.length, 'shared drive'),
            [{name: 'Name'}, {name: 'Created'}, {name: ''}],
            items.map(({id, name, createdDate, hidden}) => [
              html`<a class="entry folder" href="${itemPath(id)}"
                >${folderIcon}${nameHtml(name)}</a
              >`,
              timeHtml(createdDate),
              hidden ? html`<span class="tag">hidden</span>` : undefined,
            ]),
            true,
          ),
  })
}
