import type {Schema, SchemaMap} from '#lib/api/types.js'

/**
 * Shorthands for parameters and fields. Each takes the description first, then the
 * other keywords of the schema.
 */
type Keywords = Pick<
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

export function text<const K extends Keywords = object>(description: string, keywords?: K) {
  return {type: 'string', description, ...(keywords as K)} as const satisfies Schema
}

export function flag<const K extends Keywords = object>(description: string, keywords?: K) {
  return {type: 'boolean', description, ...(keywords as K)} as const satisfies Schema
}

export function int32<const K extends Keywords = object>(description: string, keywords?: K) {
  return {
    type: 'integer',
    format: 'int32',
    description,
    ...(keywords as K),
  } as const satisfies Schema
}

/** A 64-bit integer, sent as a string because a JSON number is exact only up to 2^53. */
export function int64<const K extends Keywords = object>(description: string, keywords?: K) {
  return {
    type: 'string',
    format: 'int64',
    description,
    ...(keywords as K),
  } as const satisfies Schema
}

export function number(format: 'float' | 'double', description: string) {
  return {type: 'number', format, description} as const satisfies Schema
}

export function dateTime(description: string) {
  return {type: 'string', format: 'date-time', description} as const satisfies Schema
}

/** The description of a deprecated parameter or field; `deprecatedName` in `lib/cli/input` parses it. */
export function deprecation(successor: string) {
  return `Deprecated: use ${successor}.`
}

/** A deprecated string field, replaced by `successor`. */
export function deprecatedText(successor: string) {
  return text(deprecation(successor), {deprecated: true})
}

/** A deprecated boolean field, replaced by `successor`. */
export function deprecatedFlag(successor: string) {
  return flag(deprecation(successor), {deprecated: true})
}

/** A reference to the schema `$ref`, with a description for this field. */
export function reference<const Name extends string>($ref: Name, description: string) {
  return {$ref, description} as const satisfies Schema
}

export function list<const Items extends Schema>(
  description: string,
  items: Items,
  keywords: Keywords = {},
) {
  return {type: 'array', description, items, ...keywords} as const satisfies Schema
}

export function texts(description: string, keywords: Keywords = {}) {
  return list(description, {type: 'string'}, keywords)
}

/** An object with arbitrary keys and string values. */
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
  keywords: Keywords = {},
) {
  return {type: 'object', description, properties, ...keywords} as const satisfies Schema
}

/** A read-only record. */
export function record(description: string, fields: SchemaMap, keywords?: Keywords) {
  return object(description, output(fields), keywords)
}

/** Adds the constant field `kind` to each schema, such as `drive#file` to `File`. */
export function withKind(schemas: SchemaMap, prefix = 'drive'): SchemaMap {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const value = `${prefix}#${name.charAt(0).toLowerCase()}${name.slice(1)}`
      const kind = {...text(`Always ${value}.`, {default: value}), readOnly: true}
      return [name, {...schema, properties: {kind, ...schema.properties}}]
    }),
  )
}

/** Marks a body field as required by these methods. */
export function requiredBy<const Methods extends readonly string[]>(...methods: Methods) {
  return {annotations: {required: methods}} as const satisfies Schema
}

/** Marks fields as read-only. */
export function output<const Fields extends SchemaMap>(fields: Fields) {
  return mapFields(fields, {readOnly: true} as const)
}

/** Marks parameters as query parameters. */
export function query<const Fields extends SchemaMap>(fields: Fields) {
  return mapFields(fields, {location: 'query'} as const)
}

function mapFields<Fields extends SchemaMap, Mark extends Schema>(fields: Fields, mark: Mark) {
  const marked = Object.entries(fields).map(([name, schema]) => [name, {...schema, ...mark}])
  return Object.fromEntries(marked) as {readonly [Name in keyof Fields]: Fields[Name] & Mark}
}

/** A read-only list of records whose schema is defined inline. */
export function records(description: string, properties: SchemaMap, keywords?: Keywords) {
  return list(description, {type: 'object', properties: output(properties)}, keywords)
}

export const etag = text('ETag with its quotes, for If-Match and If-None-Match.')
export const selfLink = text('URL of this record.')
export const nextLink = text('URL of the next page; absent on the last page.')
export const nextPageToken = text('Token of the next page; absent on the last page.')

/** Request and response of a method that takes and returns the same schema. */
export function exchange<const Name extends string>($ref: Name) {
  return {request: {$ref}, response: {$ref}} as const
}

/** The response of a list method: `items`, and the fields of `more`. */
export function listPage(item: string, description: string, more: SchemaMap) {
  return record(description, {items: list('Records on this page.', {$ref: item}), ...more})
}

/* Parameters shared by several methods. */

/** A required path parameter that holds an ID. */
export function pathId(description: string) {
  return {type: 'string', location: 'path', required: true, description} as const satisfies Schema
}

export const fileId = pathId('ID of the file or folder.')

/** The same for methods that accept no folders. */
export const contentFileId = pathId('ID of the file.')

/** A boolean parameter, false by default. */
export function off(description: string) {
  return flag(description, {default: 'false'})
}

/** A boolean parameter, true by default. */
export function on(description: string) {
  return flag(description, {default: 'true'})
}

function deprecatedSwitch(successor: string) {
  return {...deprecatedFlag(successor), default: 'false'} as const satisfies Schema
}

/** A deprecated boolean parameter without effect. */
function idleSwitch(description: string) {
  return {...off(description), deprecated: true} as const satisfies Schema
}

interface Bounds {
  readonly default?: string
  readonly minimum: string
  readonly maximum?: string
}

/** `maxResults` and `pageToken` of a paginated list. */
export function paging<const B extends Bounds>(things: string, bounds: B) {
  return query({
    maxResults: int32(`Maximum number of ${things} per page.`, bounds),
    pageToken: text('Token of the page to return: nextPageToken of the previous page.'),
  })
}

/** `orderBy` and `q` of lists of files. */
export const search = query({
  orderBy: text(
    'Sort keys, separated by commas; append " desc" to a key to reverse it: createdDate, folder, lastViewedByMeDate, modifiedByMeDate, modifiedDate, quotaBytesUsed, recency, sharedWithMeDate, starred, title, title_natural.',
  ),
  q: text("Search query, such as: title contains 'report' and trashed = false."),
})

export const allDrives = query({
  supportsAllDrives: off('Accept items in shared drives as well as in My Drive.'),
  supportsTeamDrives: deprecatedSwitch('supportsAllDrives'),
})

/** Parameters of lists that can span several drives. */
export const itemsFromAllDrives = query({
  includeItemsFromAllDrives: off('Include items in shared drives.'),
  includeTeamDriveItems: deprecatedSwitch('includeItemsFromAllDrives'),
})

/** `driveId`, and its deprecated alias. */
export function sharedDrive(description: string) {
  return query({
    driveId: text(description),
    teamDriveId: text(deprecation('driveId'), {deprecated: true}),
  })
}

/** Parameters of methods that can include the permissions of a published view. */
export const permissionsForView = query({
  includePermissionsForView: text(
    'Include permissions of this view; only "published" is supported.',
  ),
})

/** Parameters that add fields to the files of a response. */
export const itemView = {
  ...query({includeLabels: text('IDs of labels to include in labelInfo, separated by commas.')}),
  ...permissionsForView,
}

export const domainAdmin = query({
  useDomainAdminAccess: off(
    "Act as an administrator of the shared drive's domain, without being a member.",
  ),
})

export const singleParent = query({
  enforceSingleParent: idleSwitch('No longer has any effect: every item has a single parent.'),
})

export const expansiveAccess = query({
  enforceExpansiveAccess: idleSwitch('No longer has any effect: these rules always apply.'),
})

/** Parameters accepted by every method. */
export const commonParameters = query({
  alt: text('Format of the response.', {
    default: 'json',
    enum: ['json', 'media', 'proto'],
    enumDescriptions: ['A JSON document.', 'The content itself.', 'A protocol buffer message.'],
  }),
  fields: text('Fields to return, such as items(id,title),nextPageToken.'),
  prettyPrint: on('Indent the JSON of the response.'),
  access_token: text('Access token, for clients that cannot send an Authorization header.'),
  oauth_token: text('Alias of access_token.'),
  key: text('API key, for clients without an access token.'),
  quotaUser: text('Identifier of the user to charge the request quota to, at most 40 characters.'),
  callback: text('JavaScript function to wrap the JSON in (JSONP).'),
  uploadType: text('Upload protocol: media, multipart or resumable.'),
  upload_protocol: text('Upload protocol, in newer terms: raw, multipart or resumable.'),
  '$.xgafv': text('Format of error responses.', {
    enum: ['1', '2'],
    enumDescriptions: ['Version 1.', 'Version 2.'],
  }),
})
