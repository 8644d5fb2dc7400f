import {parentIds} from '#lib/api/reached.js'
import {isObject} from '#lib/api/validate.js'
import type {BatchCall, Page} from '#lib/client/client.js'
import {
  callOf,
  fileIn,
  hasValues,
  readFile,
  type Reversal,
  type SentChange,
  textOf,
  UNKNOWN_BEFORE,
  valuesOf,
  WITH_SHARED_DRIVES,
} from './reversal.js'

/** Reversals of changes to files and their folders. */

/** The ID of a new file: from the response, or reserved. */
const newIdIn = ({result, body}: SentChange) => textOf(result?.id ?? body.id)

const TRASHED = 'explicitlyTrashed,labels(trashed)'

const isTrashed = (record: Page): boolean =>
  record.explicitlyTrashed === true ||
  (record.explicitlyTrashed === undefined &&
    isObject(record.labels) &&
    record.labels.trashed === true)

/** A new file goes to the trash, unless someone has changed it. */
const creation: Reversal = {
  words: 'moves the new file to the trash',
  now: change => {
    const id = newIdIn(change)
    return id === '' ? undefined : readFile(id, `title,md5Checksum,${TRASHED}`)
  },
  isAsLeft: ({body, result}, record) =>
    record !== undefined &&
    !isTrashed(record) &&
    hasValues(record, {
      ...(body.title !== undefined && {title: body.title}),
      ...(result?.md5Checksum !== undefined && {md5Checksum: result.md5Checksum}),
    }),
  left: () => ({explicitlyTrashed: false}),
  reverse: change => {
    const fileId = newIdIn(change)
    if (fileId === '') return {reason: 'the ID of the new file is unknown'}
    return {calls: [callOf('files.trash', {fileId, ...WITH_SHARED_DRIVES})]}
  },
}

const trashing = (trashed: boolean): Reversal => ({
  words: trashed ? 'restores the file from the trash' : 'moves the file to the trash again',
  before: change => readFile(fileIn(change), TRASHED),
  isBeforeOptional: true,
  now: change => readFile(fileIn(change), TRASHED),
  isAsLeft: (_, record) => record !== undefined && isTrashed(record) === trashed,
  left: () => ({explicitlyTrashed: trashed}),
  reverse(change) {
    // Paths never lead into the trash, so without other knowledge the file was not there.
    const {before} = change
    const wasTrashed = before ? isTrashed(before) : !trashed
    if (wasTrashed === trashed) return {calls: []}
    const params = {fileId: fileIn(change), ...WITH_SHARED_DRIVES}
    return {calls: [callOf(trashed ? 'files.untrash' : 'files.trash', params)]}
  },
})

/** The fields of a file that a change can set and a later one can restore. */
const RESTORABLE = [
  ...['title', 'description', 'labels', 'modifiedDate', 'lastViewedByMeDate', 'folderColorRgb'],
  ...['originalFilename', 'copyRequiresWriterPermission', 'writersCanShare'],
  ...['inheritedPermissionsDisabled', 'contentRestrictions', 'linkShareMetadata'],
]

/** Fields that the service never returns. */
const HIDDEN = ['indexableText', 'thumbnail']

/** The fields that a request sets, as names for `fields`. */
function changedFields({params, body}: SentChange): string[] {
  const names = RESTORABLE.filter(name => body[name] !== undefined && name !== 'labels')
  const labels = isObject(body.labels) ? Object.keys(body.labels) : []
  return [
    ...names,
    ...(labels.length > 0 ? [`labels(${labels.join(',')})`] : []),
    ...(Array.isArray(body.properties) ? ['properties'] : []),
    ...(isMove({params, body}) ? ['parents(id)'] : []),
  ]
}

const isMove = ({params, body}: SentChange): boolean =>
  [params.addParents, params.removeParents, body.parents].some(value => value !== undefined)

/** The IDs of the folders that a request moves a file into. */
const targetsOf = ({params, body}: SentChange): string[] =>
  listOf(params.addParents).length > 0 ? listOf(params.addParents) : parentIds(body)

const listOf = (ids: unknown): string[] => textOf(ids).split(',').filter(Boolean)

/** The parents before: as read, or as the request names them. */
function parentsBefore({before, params}: SentChange): string[] {
  const known = before ? parentIds(before) : []
  return known.length > 0 ? known : listOf(params.removeParents)
}

const update: Reversal = {
  words: 'restores the previous values of the changed fields, and the previous folder',
  before(change) {
    // A request that names the parents before needs no read for a move.
    const isKnown = listOf(change.params.removeParents).length > 0
    const fields = changedFields(change).filter(name => !(isKnown && name === 'parents(id)'))
    return fields.length === 0 ? undefined : readFile(fileIn(change), fields.join(','))
  },
  now(change) {
    const fields = [
      ...changedFields(change),
      ...(change.hasContent ? ['md5Checksum', 'headRevisionId'] : []),
    ]
    return readFile(fileIn(change), ['title', ...fields].join(','))
  },
  isAsLeft(change, record) {
    if (!record) return false
    const {body, result, hasContent} = change
    const names = RESTORABLE.filter(name => body[name] !== undefined)
    const {md5Checksum} = result ?? {}
    return (
      hasValues(record, Object.fromEntries(names.map(name => [name, body[name]]))) &&
      targetsOf(change).every(id => id === 'root' || parentIds(record).includes(id)) &&
      propertiesIn(body).every(wanted =>
        hasValues(propertyLike(record, wanted)?.value, wanted.value),
      ) &&
      (!hasContent || (md5Checksum !== undefined && record.md5Checksum === md5Checksum))
    )
  },
  left(change) {
    const {body} = change
    const names = RESTORABLE.filter(name => body[name] !== undefined)
    const targets = targetsOf(change)
    return {
      ...Object.fromEntries(names.map(name => [name, body[name]])),
      ...(targets.length > 0 && {parents: targets.map(id => ({id}))}),
      ...(Array.isArray(body.properties) && {properties: propertiesIn(body)}),
    }
  },
  reverse(change) {
    const {params, body, before, hasContent} = change
    const fileId = fileIn(change)
    const names = RESTORABLE.filter(name => body[name] !== undefined)
    const needsBefore = names.length > 0 || propertiesIn(body).length > 0
    if (needsBefore && !before) return {reason: UNKNOWN_BEFORE}
    if (hasContent && params.newRevision === 'false') {
      return {reason: 'the service did not keep the previous content (newRevision=false)'}
    }
    const sources = parentsBefore(change)
    if (isMove(change) && sources.length === 0) return {reason: 'the previous folder is unknown'}
    const values = valuesOf(before ?? {}, names)
    const labels = isObject(body.labels) ? Object.keys(body.labels) : []
    const past = isObject(before?.labels) ? before.labels : {}
    const properties = propertiesIn(body).map(wanted => ({
      wanted,
      known: propertyLike(before!, wanted),
    }))
    const kept = properties.flatMap(({known}) => (known ? [known] : []))
    const restored = {
      ...values,
      ...(labels.length > 0 && {
        labels: Object.fromEntries(labels.map(name => [name, past[name] === true])),
      }),
      ...(kept.length > 0 && {
        properties: kept.map(({key, value, visibility}) => ({key, value, visibility})),
      }),
    }
    const targets = targetsOf(change).filter(id => !sources.includes(id))
    const isMoved = isMove(change) && !targetsOf(change).every(id => sources.includes(id))
    const patch = callOf(
      'files.patch',
      {
        fileId,
        ...WITH_SHARED_DRIVES,
        ...(isMoved && {addParents: sources[0]!}),
        ...(isMoved && targets.length > 0 && {removeParents: targets.join(',')}),
        ...(body.modifiedDate !== undefined && {setModifiedDate: 'true'}),
      },
      restored,
    )
    const deletions = properties.flatMap(({wanted, known}): BatchCall[] =>
      known ? [] : [propertyDeletion(fileId, wanted)],
    )
    const isPatched = isMoved || Object.keys(restored).length > 0
    const hidden = HIDDEN.filter(name => body[name] !== undefined)
    if (!isPatched && deletions.length === 0 && !hasContent && hidden.length > 0) {
      return {reason: `the service never returns ${hidden.join(' and ')}`}
    }
    return {
      calls: [...(isPatched ? [patch] : []), ...deletions],
      ...(hasContent && {restores: {fileId}}),
      ...(hidden.length > 0 && {note: `drv cannot restore ${hidden.join(' and ')}`}),
    }
  },
}

interface PropertyFields {
  readonly key: string
  readonly value?: unknown
  readonly visibility: string
}

function propertiesIn({properties}: Page): PropertyFields[] {
  const all: unknown[] = Array.isArray(properties) ? properties : []
  return all.filter(isObject).map(({key, value, visibility}) => ({
    ...{key: textOf(key), value},
    visibility: (textOf(visibility) || 'PRIVATE').toUpperCase(),
  }))
}

/** The property of a record with the same key and visibility. */
function propertyLike(record: Page, {key, visibility}: PropertyFields): PropertyFields | undefined {
  return propertiesIn(record).find(other => other.key === key && other.visibility === visibility)
}

export function propertyDeletion(
  fileId: string,
  {key, visibility}: Omit<PropertyFields, 'value'>,
): BatchCall {
  return callOf('properties.delete', {
    fileId,
    propertyKey: key,
    visibility: visibility.toLowerCase(),
  })
}

const gone = (words: string, reason: string): Reversal => ({words, reverse: () => ({reason})})

const PERMANENT = 'it was deleted permanently'

export const fileReversals = {
  'files.insert': creation,
  'files.copy': creation,
  'files.patch': update,
  'files.update': {
    ...update,
    words: `${update.words}; the previous content becomes the newest revision`,
  },
  'files.trash': trashing(true),
  'files.untrash': trashing(false),
  'files.delete': gone('cannot be undone', PERMANENT),
  'files.emptyTrash': gone('cannot be undone', 'everything in the trash was deleted permanently'),
  'files.touch': {
    words: 'restores the previous modified date',
    before: change => readFile(fileIn(change), 'modifiedDate'),
    now: change => readFile(fileIn(change), 'modifiedDate'),
    isAsLeft: ({result}, record) =>
      record !== undefined &&
      result?.modifiedDate !== undefined &&
      hasValues(record, {modifiedDate: result.modifiedDate}),
    left: ({result}) => (result?.modifiedDate ? {modifiedDate: result.modifiedDate} : undefined),
    reverse(change) {
      const {modifiedDate} = change.before ?? {}
      if (typeof modifiedDate !== 'string') return {reason: UNKNOWN_BEFORE}
      const params = {fileId: fileIn(change), setModifiedDate: 'true', ...WITH_SHARED_DRIVES}
      return {calls: [callOf('files.patch', params, {modifiedDate})]}
    },
  },
} as const satisfies Record<string, Reversal>
