import type {Call} from '../call.js'
import {badRequest, forbidden, invalidValue, notFound} from '../errors.js'
import {
  GRANT_COUNTS,
  grantParameters,
  refuseClosedDrive,
  roleOf,
  tokenReach,
} from '../store/access.js'
import type {Parameters} from '../store/database.js'
import {inheriting} from './file-fields.js'

/** Which files a list looks at, before any query (reference: operations.md, files.list). */
export interface Corpus {
  readonly corpora: 'default' | 'domain' | 'drive' | 'allDrives'
  readonly driveId?: string
  readonly inDrives: boolean
  readonly spaces: readonly string[]
}

const SPACES = ['drive', 'appDataFolder', 'photos']

/**
 * The corpus that the parameters of files.list name, in their old or new spelling. Throws 400 for
 * what does not fit together, 403 for shared drives without the switches that go with them, 404
 * for a drive that the caller is no member of.
 */
export function readCorpus(call: Call<'files.list'>): Corpus {
  const {params} = call
  const corpora = readCorpora(params.corpora || params.corpus)
  const driveId = params.driveId || params.teamDriveId || undefined
  const inDrives = (params.includeItemsFromAllDrives || params.includeTeamDriveItems) ?? false
  const supported = (params.supportsAllDrives || params.supportsTeamDrives) ?? false
  if ((corpora === 'drive') !== (driveId !== undefined)) {
    throw badRequest(
      'The driveId parameter must be specified if and only if corpora is set to drive.',
      driveId === undefined ? 'corpora' : 'driveId',
      'invalid',
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
  const drive = store.get('SELECT id FROM drives WHERE id = :driveId', {driveId})
  return drive !== undefined && roleOf(store, user, driveId, now) !== undefined
}

/** Where a list looks, as SQL over `files f`. */
export interface Place {
  /** Conditions, no two of which hold for the same file: each can be searched along an index of its own. */
  readonly parts: readonly string[]
  /** What else must hold. */
  readonly condition: string
  /** All that those bind. */
  readonly parameters: Parameters
}

/**
 * The place of a corpus: what the caller owns, and what permissions that count open to a search.
 * `byParent` says that folders are asked for, which narrow a search more than an owner does.
 */
export function corpusPlace(call: Call, corpus: Corpus, byParent: boolean): Place {
  const reach = tokenReach(call)
  const spaces = [
    ...(corpus.spaces.includes('drive') && reach.drive !== 'none'
      ? [`(f.space = 'drive' ${reach.drive === 'own' ? 'AND f.client_id IS :clientId' : ''})`]
      : []),
    ...(corpus.spaces.includes('appDataFolder')
      ? ["(f.space = 'appDataFolder' AND f.client_id IS :clientId)"]
      : []),
  ]
  // A plus sign keeps SQLite from an index that helps less than others: here that of owners, which is
  // sorted by date, where a folder is asked for.
  const own = `${byParent ? '+' : ''}f.owner_id = :userId`
  const users = [own, `f.owner_id IS NOT :userId AND f.id IN (${REACHED})`]
  const parts = {
    default: users,
    allDrives: users,
    drive: [`f.drive_id = :driveId AND f.id IN (${REACHED})`],
    domain: [`f.id IN (${SHARED_WITH_DOMAIN})`],
  }
  return {
    parts: parts[corpus.corpora],
    // Roots of drives are places, not finds.
    condition: `f.parent_id IS NOT NULL
      AND (${spaces.join(' OR ') || 'FALSE'})
      AND ${OUT_OF_OTHERS_TRASH}
      ${corpus.inDrives ? '' : 'AND +f.drive_id IS NULL'}
      ${call.closedDrives ? `AND ${OPEN_TO_TOKEN}` : ''}`,
    parameters: visibilityParameters(call, {
      driveId: corpus.driveId ?? null,
      ...(call.closedDrives && {closed: JSON.stringify([...call.closedDrives.keys()])}),
    }),
  }
}

/** Not in a shared drive that the caller's token does not open. */
const OPEN_TO_TOKEN =
  '(f.drive_id IS NULL OR +f.drive_id NOT IN (SELECT value FROM json_each(:closed)))'

/** The place of what the caller sees in a folder that was opened. */
export function folderPlace(call: Call, folderId: string): Place {
  return {
    parts: ['f.parent_id = :folderId'],
    condition: `(f.inherits = 1 OR f.owner_id = :userId OR f.id IN (${REACHED}))
      AND ${OUT_OF_OTHERS_TRASH}
      ${tokenReach(call).drive === 'own' ? 'AND f.client_id IS :clientId' : ''}`,
    parameters: visibilityParameters(call, {folderId}),
  }
}

/** In My Drive, only its owner finds what is in the trash (reference: resources.md, File.labels). */
const OUT_OF_OTHERS_TRASH = '(+f.trashed = 0 OR +f.owner_id = :userId OR +f.drive_id IS NOT NULL)'

/** Permissions by which an item turns up in searches. */
const FINDABLE = `p.with_link = 0 AND ${GRANT_COUNTS}`

/**
 * Items that permissions open to the caller, with what others have put into the caller's folders.
 * Something open to everyone who has the link is found only by those who have been there.
 */
const REACHED = `${inheriting(`
  SELECT p.file_id FROM permissions p WHERE ${FINDABLE}
  UNION
  SELECT o.id FROM files o CROSS JOIN files above ON above.id = o.parent_id
  WHERE (o.owner_id < :userId OR o.owner_id > :userId)
    AND above.owner_id = :userId AND o.inherits = 1`)}
  UNION
  SELECT v.file_id FROM user_files v
  WHERE v.user_id = :userId AND v.viewed_at IS NOT NULL AND v.file_id IN (${inheriting(
    `SELECT p.file_id FROM permissions p WHERE p.with_link = 1 AND ${GRANT_COUNTS}`,
  )})`

const SHARED_WITH_DOMAIN = inheriting(
  `SELECT p.file_id FROM permissions p WHERE p.type = 'domain' AND ${FINDABLE}`,
)

function visibilityParameters(call: Call, more: Parameters): Parameters {
  return {
    userId: call.user.id,
    clientId: call.clientId ?? null,
    ...grantParameters(call.user, call.now),
    ...more,
  }
}

function readCorpora(value: string | undefined): Corpus['corpora'] {
  switch (value) {
    case undefined:
    case '':
    case 'DEFAULT':
    case 'user':
      return 'default'
    case 'DOMAIN':
      return 'domain'
    case 'default':
    case 'domain':
    case 'drive':
    case 'allDrives':
      return value
    default:
      throw invalidValue('corpora')
  }
}

function readSpaces(call: Call<'files.list'>): string[] {
  const spaces = (call.params.spaces || 'drive').split(',').map(space => space.trim())
  if (!spaces.every(space => SPACES.includes(space))) throw invalidValue('spaces')
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

function drivesNeed(parameter: string) {
  return forbidden(
    'teamDriveSupportRequired',
    `Set ${parameter}=true to list items of shared drives.`,
    {locationType: 'parameter', location: parameter},
  )
}
