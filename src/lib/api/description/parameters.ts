import type {Schema} from '#lib/api/types.js'
import {flag, int32, oldFlag, query, text} from './fields.js'

/** Parameters that several methods share. Each says its piece once. */

/** An identifier in the path; always required. */
export function pathId(description: string) {
  return {type: 'string', location: 'path', required: true, description} as const satisfies Schema
}

export const fileId = pathId('ID of the file or folder.')

/** A switch that is off unless it is given. */
export function off(description: string) {
  return flag(description, {default: 'false'})
}

/** A switch that is on unless it is turned off. */
export function on(description: string) {
  return flag(description, {default: 'true'})
}

function oldSwitch(successor: string) {
  return {...oldFlag(successor), default: 'false'} as const satisfies Schema
}

/** A switch that is still accepted but does nothing. */
function idleSwitch(description: string) {
  return {...off(description), deprecated: true} as const satisfies Schema
}

interface Bounds {
  readonly default?: string
  readonly minimum: string
  readonly maximum?: string
}

/** The size of a page and its start, for lists that come in pages. */
export function paging<const B extends Bounds>(things: string, bounds: B) {
  return query({
    maxResults: int32(`Most ${things} to return in one page.`, bounds),
    pageToken: text('Where the page starts: nextPageToken of the page before.'),
  })
}

/** Which files of a folder or a drive are wanted, and in what order. */
export const search = query({
  orderBy: text(
    'Sort keys, separated by commas, each with " desc" to turn it round: createdDate, folder, lastViewedByMeDate, modifiedByMeDate, modifiedDate, quotaBytesUsed, recency, sharedWithMeDate, starred, title, title_natural.',
  ),
  q: text("Search query, such as: title contains 'report' and trashed = false."),
})

export const allDrives = query({
  supportsAllDrives: off('Work on items of shared drives as well as of My Drive.'),
  supportsTeamDrives: oldSwitch('supportsAllDrives'),
})

/** For lists over several drives. */
export const itemsFromAllDrives = query({
  includeItemsFromAllDrives: off('Include items of shared drives.'),
  includeTeamDriveItems: oldSwitch('includeItemsFromAllDrives'),
})

/** Which shared drive an operation looks at. */
export function sharedDrive(description: string) {
  return query({
    driveId: text(description),
    teamDriveId: text('Old name of driveId.', {deprecated: true}),
  })
}

/** For lists that can show the permissions of a published view. */
export const permissionsForView = query({
  includePermissionsForView: text('Also show the permissions of this view; only "published".'),
})

/** What the files of an answer show on top of their usual fields. */
export const itemView = {
  ...query({includeLabels: text('IDs of labels to show in labelInfo, separated by commas.')}),
  ...permissionsForView,
}

export const domainAdmin = query({
  useDomainAdminAccess: off(
    "Act as administrator of the shared drive's domain, without being a member.",
  ),
})

export const singleParent = query({
  enforceSingleParent: idleSwitch('No longer has any effect: an item has one parent.'),
})

export const expansiveAccess = query({
  enforceExpansiveAccess: idleSwitch('No longer has any effect: these rules always apply.'),
})

/** Parameters that every method takes. */
export const commonParameters = query({
  alt: text('Form of the answer.', {
    default: 'json',
    enum: ['json', 'media', 'proto'],
    enumDescriptions: ['A JSON document.', 'The content itself.', 'A protocol buffer.'],
  }),
  fields: text('Fields to return, such as: items(id,title),nextPageToken.'),
  prettyPrint: on('Indent the JSON of the answer.'),
  access_token: text('Access token, for callers that cannot send a header.'),
  oauth_token: text('Another name of access_token.'),
  key: text('API key, for callers without an access token.'),
  quotaUser: text('Label of the user whose quota counts, at most 40 characters.'),
  callback: text('Function to wrap the JSON in, for scripts in a web page.'),
  uploadType: text('How content is uploaded: media, multipart or resumable.'),
  upload_protocol: text('Newer form of uploadType: raw, multipart or resumable.'),
  '$.xgafv': text('Format of error answers.', {
    enum: ['1', '2'],
    enumDescriptions: ['The first format.', 'The second format.'],
  }),
})
