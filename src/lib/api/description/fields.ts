import type {Schema, SchemaMap} from '#lib/api/types.js'

/**
 * Short ways to write parameters and the fields of records. Each takes its words first, then the
 * facts that stand beside its type.
 */
type Facts = Pick<
  Schema,
  | 'annotations'
  | 'default'
  | 'deprecated'
  | 'enum'
  | 'enumDescriptions'
  | 'maximum'
  | 'minimum'
  | 'required'
>

export function text<const F extends Facts = object>(description: string, facts?: F) {
  return {type: 'string', description, ...(facts as F)} as const satisfies Schema
}

export function flag<const F extends Facts = object>(description: string, facts?: F) {
  return {type: 'boolean', description, ...(facts as F)} as const satisfies Schema
}

export function int32<const F extends Facts = object>(description: string, facts?: F) {
  return {type: 'integer', format: 'int32', description, ...(facts as F)} as const satisfies Schema
}

/** Goes as text, because a JSON number is exact only up to 2^53. */
export function int64<const F extends Facts = object>(description: string, facts?: F) {
  return {type: 'string', format: 'int64', description, ...(facts as F)} as const satisfies Schema
}

export function number(format: 'float' | 'double', description: string) {
  return {type: 'number', format, description} as const satisfies Schema
}

export function dateTime(description: string) {
  return {type: 'string', format: 'date-time', description} as const satisfies Schema
}

/** A text that another field has replaced. */
export function oldText(successor: string) {
  return text(`Old name of ${successor}.`, {deprecated: true})
}

/** A flag that another field has replaced. */
export function oldFlag(successor: string) {
  return flag(`Old name of ${successor}.`, {deprecated: true})
}

/** The record of that name, with what it means in this place. */
export function reference<const Name extends string>($ref: Name, description: string) {
  return {$ref, description} as const satisfies Schema
}

export function list<const Items extends Schema>(
  description: string,
  items: Items,
  facts: Facts = {},
) {
  return {type: 'array', description, items, ...facts} as const satisfies Schema
}

export function texts(description: string, facts: Facts = {}) {
  return list(description, {type: 'string'}, facts)
}

/** An object with keys of any name and text values. */
export function textMap(description: string) {
  return {
    type: 'object',
    description,
    additionalProperties: {type: 'string'},
  } as const satisfies Schema
}

export function object<const Properties extends SchemaMap>(
  description: string,
  properties: Properties,
  facts: Facts = {},
) {
  return {type: 'object', description, properties, ...facts} as const satisfies Schema
}

/** A record that the service alone sets. */
export function record(description: string, fields: SchemaMap, facts?: Facts) {
  return object(description, output(fields), facts)
}

/** Schemas of records that say their kind: the fixed text `drive#file` in a `File`. */
export function ofKind(schemas: SchemaMap, prefix = 'drive'): SchemaMap {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const value = `${prefix}#${name.charAt(0).toLowerCase()}${name.slice(1)}`
      const kind = {...text(`Always ${value}.`, {default: value}), readOnly: true}
      return [name, {...schema, properties: {kind, ...schema.properties}}]
    }),
  )
}

/** Marks a field that these methods need in a body. */
export function requiredBy<const Methods extends readonly string[]>(...methods: Methods) {
  return {annotations: {required: methods}} as const satisfies Schema
}

/** Marks fields that the service alone sets. */
export function output<const Fields extends SchemaMap>(fields: Fields) {
  return mapFields(fields, {readOnly: true} as const)
}

/** Marks parameters that go into the query. */
export function query<const Fields extends SchemaMap>(fields: Fields) {
  return mapFields(fields, {location: 'query'} as const)
}

function mapFields<Fields extends SchemaMap, Fact extends Schema>(fields: Fields, fact: Fact) {
  const marked = Object.entries(fields).map(([name, schema]) => [name, {...schema, ...fact}])
  return Object.fromEntries(marked) as {readonly [Name in keyof Fields]: Fields[Name] & Fact}
}

/** A list of records that the service alone makes, and that stand nowhere else. */
export function records(description: string, properties: SchemaMap, facts?: Facts) {
  return list(description, {type: 'object', properties: output(properties)}, facts)
}

export const etag = text('Version tag, with its quotes, for If-Match and If-None-Match.')
export const selfLink = text('Address of this record.')
export const nextLink = text('Address of the next page; absent on the last one.')
export const nextPageToken = text('Token of the next page; absent on the last one.')

/** A method that takes a record and answers with one of the same schema. */
export function exchange<const Name extends string>($ref: Name) {
  return {request: {$ref}, response: {$ref}} as const
}

/** The answer of a list operation: the entries, and what else this list carries. */
export function listPage(item: string, description: string, more: SchemaMap) {
  return record(description, {items: list('The entries of this page.', {$ref: item}), ...more})
}

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
