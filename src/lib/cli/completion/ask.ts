import {FOLDER_TYPE} from '#lib/api/wire.js'
import {completionFile, isKeychainOpen} from '#lib/cli/context/completion-file.js'
import {createContext} from '#lib/cli/context/create-context.js'
import {globalOptions} from '#lib/cli/output/global-options.js'
import {takeEnvironment} from '#lib/cli/terminal/say.js'
import type {Client, ParameterTexts} from '#lib/client/client.js'
import {recordsOf} from '#lib/client/pages.js'
import {cacheDirectory, systemHome} from '#lib/config/paths.js'
import {ALL_DRIVES, quoted, searchParameters} from '#lib/transfer/remote/records.js'
import {parseRemotePath} from '#lib/transfer/remote/remote-path.js'
import {resolveRemotePath} from '#lib/transfer/remote/resolve.js'
import {above, keepPlace, knownListing, type Listing, type Place, type Way} from './folders.js'

/** What is in a place of the service, asked of the service itself. */

/** Flags of a run that says nothing and asks nobody. */
const SILENT = {
  quiet: true,
  'no-input': true,
  'no-color': true,
  'no-pager': true,
  'no-probe': true,
}

export interface Asking {
  readonly way: Way
  /** The profile that the command line names. */
  readonly profile?: string
  /** `drv/1.2.3` */
  readonly userAgent: string
  readonly signal: AbortSignal
}

/**
 * What is in the place, or what begins with the name where that is too much for one answer; kept for
 * the next time. Nothing is asked of a person: `undefined` where nobody is signed in, and where the
 * keychain might want something. Fails with whatever goes wrong on the way.
 */
export async function ask({way, profile, userAgent, signal}: Asking): Promise<Listing | undefined> {
  const environment = takeEnvironment(process.env)
  const caches = cacheDirectory(environment, systemHome, process.platform)
  const context = createContext({
    options: globalOptions({profile, ...SILENT}, {}),
    environment,
    signal,
    stop: () => undefined,
    // The shell may end a Tab at any time, and with it the token that is just being renewed.
    canRenew: false,
    userAgent,
  })
  try {
    const settings = await context.settings()
    const {environmentToken, tokenCommand, signIn} = settings
    // It may take its time, or ask a person.
    if (tokenCommand !== undefined) return undefined
    if (environmentToken === undefined && signIn === undefined) return undefined
    const isAsked = environmentToken === undefined && signIn?.store === 'keychain'
    if (isAsked && !(await isKeychainOpen(caches, settings, Date.now()))) return undefined
    const kept = completionFile(caches, settings, 'places')
    const known = (place: string) => knownListing(kept, place, Date.now())
    const client = await context.client()
    const {place, name} = way
    const listing = known(place) ?? (await listingOf(client, place, known))
    await keepPlace(kept, place, listing, Date.now())
    if (!listing.isCut || name === '') return listing
    const some = await listingOf(client, place, known, name)
    await keepPlace(kept, place + name, some, Date.now())
    return some
  } finally {
    await context.close()
  }
}

/** What is in a place and begins with `start`, as far as one answer tells. */
export async function listingOf(
  client: Client,
  place: string,
  known: (place: string) => Listing | undefined,
  start?: string,
): Promise<Listing> {
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

/** The most entries of a place that are asked for. */
const MOST = 1000

/** As many entries as were asked for, of those that begin with `start`: a service may send any number. */
function listed(all: readonly Place[], start = '', isMore = false): Listing {
  const fitting = all.filter(({title}) => title.startsWith(start))
  return {entries: fitting.slice(0, MOST), isCut: isMore || fitting.length > MOST}
}

async function filesOf(
  client: Client,
  terms: string,
  start: string | undefined,
  others?: ParameterTexts,
): Promise<Listing> {
  const params = {
    maxResults: String(MOST),
    ...ALL_DRIVES,
    includeItemsFromAllDrives: 'true',
    ...others,
    q: start === undefined ? terms : `${terms} and title contains ${quoted(start)}`,
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

async function drivesOf(client: Client, start: string | undefined): Promise<Listing> {
  const params = {maxResults: '100', fields: 'nextPageToken,items(id,name)'}
  let all: readonly Place[] = []
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

/** The folder that a place is, from what is known of the one above it, else from the service. */
async function folderAt(
  client: Client,
  place: string,
  known: (place: string) => Listing | undefined,
): Promise<{readonly id: string; readonly driveId?: string}> {
  if (place === '/') return {id: 'root'}
  const way = above(place)
  const listing = way && known(way.place)
  const named =
    listing?.entries.filter(({title, isFolder}) => isFolder && title === way?.name) ?? []
  const [folder] = named
  if (folder && named.length === 1) {
    return {id: folder.id, driveId: way?.place === 'drive:' ? folder.id : listing?.driveId}
  }
  const {entry, missing, driveId} = await resolveRemotePath(client, parseRemotePath(place))
  if (missing.length > 0) throw new Error('There is no such folder.')
  return {id: entry.id, driveId}
}
