import {FOLDER_TYPE} from '#lib/api/wire.js'
import {completionFile, isKeychainOpen} from '#lib/cli/context/completion-file.js'
import {createContext} from '#lib/cli/context/create-context.js'
import {globalOptions} from '#lib/cli/output/global-options.js'
import {takeEnvironment} from '#lib/cli/terminal/say.js'
import type {Client, ParameterTexts} from '#lib/client/client.js'
import {recordsOf} from '#lib/client/pages.js'
import {cacheDirectory, systemHome} from '#lib/config/paths.js'
import {ALL_DRIVES, queryValue, searchParameters} from '#lib/transfer/remote/records.js'
import {parseRemotePath} from '#lib/transfer/remote/remote-path.js'
import {resolveRemotePath} from '#lib/transfer/remote/resolve.js'
import {
  type FolderListing,
  knownListing,
  type ListedPlace,
  parentPath,
  saveListing,
  type TypedPath,
} from './folders.js'

/** Requests the entries of remote folders for completion. */

/** Flags for a run without output and prompts. */
const SILENT = {
  quiet: true,
  'no-input': true,
  'no-color': true,
  'no-pager': true,
  'no-probe': true,
}

export interface CompletionRequest {
  readonly way: TypedPath
  /** The profile in the command line. */
  readonly profile?: string
  /** `drv/1.2.3` */
  readonly userAgent: string
  readonly signal: AbortSignal
}

/**
 * The entries of a folder, or those that begin with the name if the folder has too many for one response.
 * Caches the result. Never prompts: returns `undefined` if no user is signed in or the keychain might
 * prompt. Rejects with any error of the settings and requests.
 */
export async function requestListing({
  way,
  profile,
  userAgent,
  signal,
}: CompletionRequest): Promise<FolderListing | undefined> {
  const environment = takeEnvironment(process.env)
  const caches = cacheDirectory(environment, systemHome, process.platform)
  const context = createContext({
    options: globalOptions({profile, ...SILENT}, {}),
    environment,
    signal,
    stop: () => undefined,
    // The shell may end the process at any time, which would lose a token that is being renewed.
    canRenew: false,
    userAgent,
  })
  try {
    const settings = await context.settings()
    const {environmentToken, tokenCommand, signIn} = settings
    // The token command may be slow or prompt the user.
    if (tokenCommand !== undefined) return undefined
    if (environmentToken === undefined && signIn === undefined) return undefined
    const needsKeychain = environmentToken === undefined && signIn?.store === 'keychain'
    if (needsKeychain && !(await isKeychainOpen(caches, settings, Date.now()))) return undefined
    const kept = completionFile(caches, settings, 'places')
    const known = (place: string) => knownListing(kept, place, Date.now())
    const client = await context.client()
    const {place, name} = way
    const listing = known(place) ?? (await listingOf(client, place, known))
    await saveListing(kept, place, listing, Date.now())
    if (!listing.isCut || name === '') return listing
    const some = await listingOf(client, place, known, name)
    await saveListing(kept, place + name, some, Date.now())
    return some
  } finally {
    await context.close()
  }
}

/** The entries of a folder that begin with `start`, from one response. */
export async function listingOf(
  client: Client,
  place: string,
  known: (place: string) => FolderListing | undefined,
  start?: string,
): Promise<FolderListing> {
  if (place === 'drive:') return drivesOf(client, start)
  if (/^shared:\/?$/.test(place)) return filesOf(client, SHARED, start)
  if (/^trash:\/?$/.test(place)) return filesOf(client, 'trashed = true', start)
  const {id, driveId} = await folderAt(client, place, known)
  const search = {folderIds: [id], driveId, isTrashToo: place.startsWith('trash:')}
  const {q, ...others} = searchParameters(search)
  const listing = await filesOf(client, String(q), start, others)
  return {...listing, driveId}
}

const SHARED = 'sharedWithMe and trashed = false'

/** Maximum number of entries to request from a folder. */
const MOST = 1000

/** Selects the entries that begin with `start`, at most `MOST`, because a service may send more than requested. */
function listed(all: readonly ListedPlace[], start = '', isMore = false): FolderListing {
  const fitting = all.filter(({title}) => title.startsWith(start))
  return {entries: fitting.slice(0, MOST), isCut: isMore || fitting.length > MOST}
}

async function filesOf(
  client: Client,
  terms: string,
  start: string | undefined,
  others?: ParameterTexts,
): Promise<FolderListing> {
  const params = {
    maxResults: String(MOST),
    ...ALL_DRIVES,
    includeItemsFromAllDrives: 'true',
    ...others,
    q: start === undefined ? terms : `${terms} and title contains ${queryValue(start)}`,
    fields: 'nextPageToken,items(id,title,mimeType)',
  }
  const page = (await client.call('files.list', {params})) ?? {}
  const entries = recordsOf(page).flatMap(({id, title, mimeType}) =>
    typeof id === 'string' && typeof title === 'string'
      ? [{id, title, isFolder: mimeType === FOLDER_TYPE}]
      : [],
  )
  return listed(entries, start, page.nextPageToken !== undefined)
}

async function drivesOf(client: Client, start: string | undefined): Promise<FolderListing> {
  const params = {maxResults: '100', fields: 'nextPageToken,items(id,name)'}
  let all: readonly ListedPlace[] = []
  for await (const page of client.pages('drives.list', {params})) {
    const drives = recordsOf(page).flatMap(({id, name: title}) =>
      typeof id === 'string' && typeof title === 'string' ? [{id, title, isFolder: true}] : [],
    )
    const {entries, isCut} = listed([...all, ...drives], start)
    if (isCut) return {entries, isCut}
    all = entries
  }
  return {entries: all, isCut: false}
}

/** Resolves a folder from the cached entries of its parent, otherwise with requests. */
async function folderAt(
  client: Client,
  place: string,
  known: (place: string) => FolderListing | undefined,
): Promise<{readonly id: string; readonly driveId?: string}> {
  if (place === '/') return {id: 'root'}
  const way = parentPath(place)
  const listing = way && known(way.place)
  const named =
    listing?.entries.filter(({title, isFolder}) => isFolder && title === way?.name) ?? []
  const [folder] = named
  if (folder && named.length === 1) {
    return {id: folder.id, driveId: way?.place === 'drive:' ? folder.id : listing?.driveId}
  }
  const {entry, missing, driveId} = await resolveRemotePath(client, parseRemotePath(place))
  if (missing.length > 0) throw new Error('Folder not found.')
  return {id: entry.id, driveId}
}
