import {knownValues} from '#lib/api/validate.js'
import type {Call} from '#lib/service/call.js'
import {
  type FileServiceError,
  forbidden,
  invalid,
  invalidValue,
  notFound,
} from '#lib/service/errors.js'
import type {Parameters} from '#lib/service/store/database/database.js'
import {driveExists, memberDrives} from '#lib/service/store/drives.js'
import {
  grantParameters,
  type ReachedFile,
  refuseClosedDrive,
  strongestRole,
  tokenReach,
} from '#lib/service/store/sharing/access.js'
import {IS_REACHED, IS_SHARED_WITH_DOMAIN, isOpenIn, REACHED, SHARED_WITH_DOMAIN} from './reach.js'
import {NOTHING} from './sql.js'

/** The files that a list searches (reference: operations.md, files.list). */
interface Corpus {
  readonly corpora: (typeof knownValues.corpora)[number]
  readonly driveId?: string
  readonly inDrives: boolean
  readonly spaces: readonly string[]
}

/** Maximum number of shared drives that a list reads one by one. It finds items of further drives by permissions. */
const MAX_DRIVES = 8

/** The values of `corpora`, and of the older `corpus`. */
const CORPORA: ReadonlyMap<string, Corpus['corpora']> = new Map([
  ...knownValues.corpora.map(name => [name, name] as const),
  ['DEFAULT', 'default'],
  ['user', 'default'],
  ['DOMAIN', 'domain'],
  ['teamDrive', 'drive'],
  ['allTeamDrives', 'allDrives'],
])

const SPACES: readonly string[] = knownValues.spaces

/**
 * The corpus for the parameters of files.list, including the older ones. Throws 400 for parameters
 * that contradict each other, 403 if a parameter that shared drives need is missing, and 404 if the
 * caller is not a member of the drive.
 */
export function readCorpus(call: Call<'files.list'>): Corpus {
  const {params} = call
  const corpora = CORPORA.get(params.corpora || params.corpus || 'default')
  if (!corpora) throw invalidValue('corpora')
  const driveId = params.driveId || params.teamDriveId || undefined
  const inDrives = (params.includeItemsFromAllDrives || params.includeTeamDriveItems) ?? false
  const supported = (params.supportsAllDrives || params.supportsTeamDrives) ?? false
  if ((corpora === 'drive') !== (driveId !== undefined)) {
    throw invalid(
      'The driveId parameter must be specified if and only if corpora is set to drive.',
      driveId === undefined ? 'corpora' : 'driveId',
    )
  }
  if ((corpora === 'drive' || corpora === 'allDrives') && !inDrives) {
    throw drivesNeed('includeItemsFromAllDrives')
  }
  if (inDrives && !supported) throw drivesNeed('supportsAllDrives')
  if (driveId !== undefined && !isMember(call, driveId)) {
    throw notFound('Shared drive', driveId, 'driveId')
  }
  refuseClosedDrive(call, driveId ?? null)
  return {corpora, driveId, inDrives, spaces: readSpaces(call)}
}

function isMember({store, user, now}: Call<'files.list'>, driveId: string): boolean {
  return driveExists(store, driveId) && strongestRole(store, user, driveId, now) !== undefined
}

/** The scope of a list, as SQL over `files f` and the caller's `user_files u`. */
export interface ListScope {
  /** The items of each holder. No item has two holders, and each holder can be read in any order. */
  readonly held: readonly HolderItems[]
  /** Items of other holders. */
  readonly others?: {readonly items: string; readonly where: string}
  /** The condition for an item to be in the scope. */
  readonly isIn: string
  /** A query for IDs that contains every item in the scope and may be short. */
  readonly among?: string
  /** A further condition for all items. */
  readonly condition: string
  /** The parameters of all these fragments. */
  readonly parameters: Parameters
}

/** The items of one holder: an owner or a shared drive. */
export interface HolderItems {
  /** The SQL parameter with the ID of the holder. */
  readonly holder: string
  /** Whether the holder is the caller. */
  readonly isOwn: boolean
  readonly where: string
}

/** The scope of a corpus: the caller's own items, and those that valid permissions make searchable. */
export function corpusScope(call: Call, corpus: Corpus): ListScope {
  const reach = tokenReach(call)
  const spaces = [
    ...(corpus.spaces.includes('drive') && reach.drive !== 'none'
      ? [`(f.space = 'drive' ${reach.drive === 'own' ? 'AND f.client_id IS :clientId' : ''})`]
      : []),
    ...(corpus.spaces.includes('appDataFolder')
      ? ["(f.space = 'appDataFolder' AND f.client_id IS :clientId)"]
      : []),
  ]
  const drives =
    corpus.driveId !== undefined
      ? [corpus.driveId]
      : corpus.inDrives
        ? memberDrives(call, MAX_DRIVES)
        : []
  return {
    ...whereIn(corpus, drives),
    // Lists leave out the root folders of drives.
    condition: `+f.parent_id IS NOT NULL
      AND (${spaces.join(' OR ') || NOTHING})
      AND ${OUT_OF_OTHERS_TRASH}
      ${corpus.inDrives ? '' : 'AND +f.drive_id IS NULL'}
      ${call.closedDrives ? `AND ${OPEN_TO_TOKEN}` : ''}`,
    parameters: visibilityParameters(call, {
      memberDrives: JSON.stringify(drives),
      inDrives: Number(corpus.inDrives),
      ...Object.fromEntries(drives.map((id, index) => [`drive${index}`, id])),
      ...(call.closedDrives && {closed: JSON.stringify([...call.closedDrives.keys()])}),
    }),
  }
}

function whereIn(
  {corpora}: Corpus,
  drives: readonly string[],
): Pick<ListScope, 'held' | 'others' | 'isIn'> {
  const inDrives = drives.map((_, index): HolderItems => {
    const holder = `:drive${index}`
    return {holder, isOwn: false, where: isOpenIn(holder)}
  })
  switch (corpora) {
    case 'domain':
      return {
        held: [],
        others: {items: SHARED_WITH_DOMAIN, where: 'TRUE'},
        isIn: IS_SHARED_WITH_DOMAIN,
      }
    case 'drive':
      return {held: inDrives, isIn: `+f.drive_id = :drive0 AND ${IS_REACHED}`}
    case 'default':
    case 'allDrives':
      return {
        held: [{holder: ':userId', isOwn: true, where: 'TRUE'}, ...inDrives],
        others: {
          items: REACHED,
          where: `+f.owner_id IS NOT :userId
            AND coalesce(+f.drive_id NOT IN (SELECT value FROM json_each(:memberDrives)), TRUE)`,
        },
        isIn: `(+f.owner_id = :userId OR ${IS_REACHED})`,
      }
  }
}

/** Excludes items of shared drives that the token cannot access. */
const OPEN_TO_TOKEN =
  '(f.drive_id IS NULL OR +f.drive_id NOT IN (SELECT value FROM json_each(:closed)))'

/** The scope of a folder that the caller can see: the items in it that the caller can see. */
export function folderScope(call: Call, folder: ReachedFile): ListScope {
  const where = '+f.parent_id = :folderId'
  return {
    held: [{holder: ':holder', isOwn: folder.owner_id === call.user.id, where}],
    others: {
      items: `SELECT g.file_id AS id FROM guests g CROSS JOIN files o ON o.id = g.file_id
        WHERE g.host_id = :holder AND o.parent_id = :folderId`,
      where: 'TRUE',
    },
    isIn: where,
    among: 'SELECT id FROM files WHERE parent_id = :folderId',
    condition: `(f.inherits = 1 OR +f.owner_id = :userId OR ${IS_REACHED})
      AND ${OUT_OF_OTHERS_TRASH}
      ${tokenReach(call).drive === 'own' ? 'AND f.client_id IS :clientId' : ''}`,
    parameters: visibilityParameters(call, {
      folderId: folder.id,
      holder: folder.drive_id ?? folder.owner_id,
    }),
  }
}

/** In My Drive, only the owner of a trashed item finds it (reference: resources.md, File.labels). */
const OUT_OF_OTHERS_TRASH = '(+f.trashed = 0 OR +f.owner_id = :userId OR +f.drive_id IS NOT NULL)'

function visibilityParameters(call: Call, more: Parameters): Parameters {
  return {
    userId: call.user.id,
    clientId: call.clientId ?? null,
    ...grantParameters(call.user, call.now),
    ...more,
  }
}

/** The comma-separated spaces in a parameter. Throws 400 for unknown ones. */
export function spacesIn(text: string): string[] {
  const spaces = text.split(',').map(space => space.trim())
  if (!spaces.every(space => SPACES.includes(space))) throw invalidValue('spaces')
  return spaces
}

function readSpaces(call: Call<'files.list'>): string[] {
  const spaces = spacesIn(call.params.spaces || 'drive')
  const reach = tokenReach(call)
  const refused =
    (spaces.includes('drive') && reach.drive === 'none') ||
    (spaces.includes('appDataFolder') && !reach.appData)
  if (refused) {
    throw forbidden(
      'insufficientPermissions',
      'The granted scopes do not give access to all of the requested spaces.',
    )
  }
  return spaces
}

/** The error 403 for a request for items of shared drives without `parameter`. */
export function drivesNeed(parameter: string, purpose = 'list items of'): FileServiceError {
  const words = `Set ${parameter}=true to ${purpose} shared drives.`
  return forbidden('teamDriveSupportRequired', words, parameter)
}
