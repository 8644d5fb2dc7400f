import {FOLDER_TYPE} from '#lib/api/wire.js'
import {ownProperty} from '#lib/platform/values.js'
import {FileServiceError, methodNotAllowed} from '#lib/service/errors.js'
import type {ServiceResponse} from '#lib/service/http/message.js'
import type {OperationContext} from '#lib/service/http/perform.js'
import type {OauthCall} from '#lib/service/oauth/call.js'
import {ownerResponse} from '#lib/service/oauth/guard/owner.js'
import {MY_DRIVE_PATH} from '#lib/service/oauth/pages/paths.js'
import {signedIn} from '#lib/service/oauth/pages/settings.js'
import {contentFor} from './content.js'
import {embeddedPage, signedOutPage} from './embedded-page.js'
import {filePage} from './file-page.js'
import {folderPage} from './folder-page.js'
import {
  DRIVES_PATH,
  ITEM_PATTERN,
  type ItemView,
  SEARCH_PATH,
  SHARED_PATH,
  TRASH_PATH,
} from './paths.js'
import {drivesPage, sharedPage, trashPage} from './place-pages.js'
import type {FileItem} from './records.js'
import {searchPage} from './search-page.js'
import {runRead, type Visitor} from './visitor.js'
import {refusedPage} from './window-page.js'

/** Pages for people that show the files of the signed-in account. They change nothing. */

/** Responds to a request for a page about files; `undefined` for other paths. Throws 405 for other methods than GET. */
export async function windowResponse(
  call: OauthCall,
  context: OperationContext,
): Promise<ServiceResponse | undefined> {
  const {method, url} = call.request
  const [, id = '', view = 'page'] = ITEM_PATTERN.exec(url.pathname) ?? []
  const show: Show | undefined =
    id === ''
      ? ownProperty(PAGES, url.pathname)
      : visitor => itemPage(visitor, id, view as ItemView)
  if (!show) return undefined
  if (method !== 'GET') throw methodNotAllowed('This path supports GET only.', ['GET'])
  const refusal = ownerResponse(call, 'browser')
  if (refusal) return refusal
  const who = signedIn(call)
  if ('status' in who) return view === 'preview' ? signedOutPage(id) : who
  const visitor = {...who, context}
  try {
    return await show(visitor)
  } catch (error) {
    if (!(error instanceof FileServiceError && error.status < 500)) throw error
    return refusedPage(visitor, error)
  }
}

type Show = (visitor: Visitor) => Promise<ServiceResponse>

const PAGES: Readonly<Record<string, Show>> = {
  [MY_DRIVE_PATH]: visitor => itemPage(visitor, 'root', 'page'),
  [SHARED_PATH]: sharedPage,
  [DRIVES_PATH]: drivesPage,
  [TRASH_PATH]: trashPage,
  [SEARCH_PATH]: searchPage,
}

async function itemPage(visitor: Visitor, id: string, view: ItemView): Promise<ServiceResponse> {
  if (view === 'content' || view === 'thumbnail') return contentFor(visitor, id, false)
  if (view === 'download') return contentFor(visitor, id, true)
  const file = await runRead<FileItem>(visitor, 'files.get', {fileId: id})
  if (view === 'preview') return embeddedPage(visitor, file)
  const isListed = view === 'page' && file.mimeType === FOLDER_TYPE
  return isListed ? folderPage(visitor, file) : filePage(visitor, file)
}
