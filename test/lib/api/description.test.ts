import {describe, expect, test} from 'vitest'
import {description, descriptionAt} from '#lib/api/description/index.js'
import {scopeValue, shortScope} from '#lib/api/description/scopes.js'
import {checkDocument} from '#lib/api/document/check/check.js'
import {operation, type OperationId, operations} from '#lib/api/operations.js'
import type {SchemaMap} from '#lib/api/types.js'

/** The specification's table (files-api.md, Endpoints), written by hand. */
const endpoints: ReadonlyArray<[OperationId, string, string]> = [
  ['about.get', 'GET', '/drive/v2/about'],
  ['apps.get', 'GET', '/drive/v2/apps/{appId}'],
  ['apps.list', 'GET', '/drive/v2/apps'],
  ['changes.get', 'GET', '/drive/v2/changes/{changeId}'],
  ['changes.getStartPageToken', 'GET', '/drive/v2/changes/startPageToken'],
  ['changes.list', 'GET', '/drive/v2/changes'],
  ['changes.watch', 'POST', '/drive/v2/changes/watch'],
  ['channels.stop', 'POST', '/drive/v2/channels/stop'],
  ['children.delete', 'DELETE', '/drive/v2/files/{folderId}/children/{childId}'],
  ['children.get', 'GET', '/drive/v2/files/{folderId}/children/{childId}'],
  ['children.insert', 'POST', '/drive/v2/files/{folderId}/children'],
  ['children.list', 'GET', '/drive/v2/files/{folderId}/children'],
  ['drives.delete', 'DELETE', '/drive/v2/drives/{driveId}'],
  ['drives.get', 'GET', '/drive/v2/drives/{driveId}'],
  ['drives.hide', 'POST', '/drive/v2/drives/{driveId}/hide'],
  ['drives.insert', 'POST', '/drive/v2/drives'],
  ['drives.list', 'GET', '/drive/v2/drives'],
  ['drives.unhide', 'POST', '/drive/v2/drives/{driveId}/unhide'],
  ['drives.update', 'PUT', '/drive/v2/drives/{driveId}'],
  ['files.copy', 'POST', '/drive/v2/files/{fileId}/copy'],
  ['files.delete', 'DELETE', '/drive/v2/files/{fileId}'],
  ['files.emptyTrash', 'DELETE', '/drive/v2/files/trash'],
  ['files.export', 'GET', '/drive/v2/files/{fileId}/export'],
  ['files.generateIds', 'GET', '/drive/v2/files/generateIds'],
  ['files.get', 'GET', '/drive/v2/files/{fileId}'],
  ['files.insert', 'POST', '/drive/v2/files'],
  ['files.list', 'GET', '/drive/v2/files'],
  ['files.listLabels', 'GET', '/drive/v2/files/{fileId}/listLabels'],
  ['files.modifyLabels', 'POST', '/drive/v2/files/{fileId}/modifyLabels'],
  ['files.patch', 'PATCH', '/drive/v2/files/{fileId}'],
  ['files.touch', 'POST', '/drive/v2/files/{fileId}/touch'],
  ['files.trash', 'POST', '/drive/v2/files/{fileId}/trash'],
  ['files.untrash', 'POST', '/drive/v2/files/{fileId}/untrash'],
  ['files.update', 'PUT', '/drive/v2/files/{fileId}'],
  ['files.watch', 'POST', '/drive/v2/files/{fileId}/watch'],
  ['parents.delete', 'DELETE', '/drive/v2/files/{fileId}/parents/{parentId}'],
  ['parents.get', 'GET', '/drive/v2/files/{fileId}/parents/{parentId}'],
  ['parents.insert', 'POST', '/drive/v2/files/{fileId}/parents'],
  ['parents.list', 'GET', '/drive/v2/files/{fileId}/parents'],
  ['permissions.delete', 'DELETE', '/drive/v2/files/{fileId}/permissions/{permissionId}'],
  ['permissions.get', 'GET', '/drive/v2/files/{fileId}/permissions/{permissionId}'],
  ['permissions.getIdForEmail', 'GET', '/drive/v2/permissionIds/{email}'],
  ['permissions.insert', 'POST', '/drive/v2/files/{fileId}/permissions'],
  ['permissions.list', 'GET', '/drive/v2/files/{fileId}/permissions'],
  ['permissions.patch', 'PATCH', '/drive/v2/files/{fileId}/permissions/{permissionId}'],
  ['permissions.update', 'PUT', '/drive/v2/files/{fileId}/permissions/{permissionId}'],
  ['properties.delete', 'DELETE', '/drive/v2/files/{fileId}/properties/{propertyKey}'],
  ['properties.get', 'GET', '/drive/v2/files/{fileId}/properties/{propertyKey}'],
  ['properties.insert', 'POST', '/drive/v2/files/{fileId}/properties'],
  ['properties.list', 'GET', '/drive/v2/files/{fileId}/properties'],
  ['properties.patch', 'PATCH', '/drive/v2/files/{fileId}/properties/{propertyKey}'],
  ['properties.update', 'PUT', '/drive/v2/files/{fileId}/properties/{propertyKey}'],
  ['revisions.delete', 'DELETE', '/drive/v2/files/{fileId}/revisions/{revisionId}'],
  ['revisions.get', 'GET', '/drive/v2/files/{fileId}/revisions/{revisionId}'],
  ['revisions.list', 'GET', '/drive/v2/files/{fileId}/revisions'],
  ['revisions.patch', 'PATCH', '/drive/v2/files/{fileId}/revisions/{revisionId}'],
  ['revisions.update', 'PUT', '/drive/v2/files/{fileId}/revisions/{revisionId}'],
]

/** The parameters of every operation, from the reference's table of operations. */
const parameters: Readonly<Record<OperationId, string>> = {
  'about.get': 'includeSubscribed maxChangeIdCount startChangeId',
  'apps.get': 'appId',
  'apps.list': 'appFilterExtensions appFilterMimeTypes languageCode',
  'changes.get': 'changeId driveId supportsAllDrives supportsTeamDrives teamDriveId',
  'changes.getStartPageToken': 'driveId supportsAllDrives supportsTeamDrives teamDriveId',
  'changes.list':
    'driveId includeCorpusRemovals includeDeleted includeItemsFromAllDrives includeLabels ' +
    'includePermissionsForView includeSubscribed includeTeamDriveItems maxResults pageToken ' +
    'spaces startChangeId supportsAllDrives supportsTeamDrives teamDriveId',
  'changes.watch':
    'driveId includeCorpusRemovals includeDeleted includeItemsFromAllDrives includeLabels ' +
    'includePermissionsForView includeSubscribed includeTeamDriveItems maxResults pageToken ' +
    'spaces startChangeId supportsAllDrives supportsTeamDrives teamDriveId',
  'channels.stop': '',
  'children.delete': 'childId enforceSingleParent folderId',
  'children.get': 'childId folderId',
  'children.insert': 'enforceSingleParent folderId supportsAllDrives supportsTeamDrives',
  'children.list': 'folderId maxResults orderBy pageToken q',
  'drives.delete': 'allowItemDeletion driveId useDomainAdminAccess',
  'drives.get': 'driveId useDomainAdminAccess',
  'drives.hide': 'driveId',
  'drives.insert': 'requestId',
  'drives.list': 'maxResults pageToken q useDomainAdminAccess',
  'drives.unhide': 'driveId',
  'drives.update': 'driveId useDomainAdminAccess',
  'files.copy':
    'convert enforceSingleParent fileId includeLabels includePermissionsForView ocr ' +
    'ocrLanguage pinned supportsAllDrives supportsTeamDrives timedTextLanguage ' +
    'timedTextTrackName visibility',
  'files.delete': 'enforceSingleParent fileId supportsAllDrives supportsTeamDrives',
  'files.emptyTrash': 'driveId enforceSingleParent',
  'files.export': 'fileId mimeType',
  'files.generateIds': 'maxResults space type',
  'files.get':
    'acknowledgeAbuse fileId includeLabels includePermissionsForView projection revisionId ' +
    'supportsAllDrives supportsTeamDrives updateViewedDate',
  'files.insert':
    'convert enforceSingleParent includeLabels includePermissionsForView ocr ocrLanguage ' +
    'pinned supportsAllDrives supportsTeamDrives timedTextLanguage timedTextTrackName ' +
    'useContentAsIndexableText visibility',
  'files.list':
    'corpora corpus driveId includeItemsFromAllDrives includeLabels includePermissionsForView ' +
    'includeTeamDriveItems maxResults orderBy pageToken projection q spaces supportsAllDrives ' +
    'supportsTeamDrives teamDriveId',
  'files.listLabels': 'fileId maxResults pageToken',
  'files.modifyLabels': 'fileId',
  'files.patch':
    'addParents convert enforceSingleParent fileId includeLabels includePermissionsForView ' +
    'modifiedDateBehavior newRevision ocr ocrLanguage pinned removeParents setModifiedDate ' +
    'supportsAllDrives supportsTeamDrives timedTextLanguage timedTextTrackName ' +
    'updateViewedDate useContentAsIndexableText',
  'files.touch':
    'fileId includeLabels includePermissionsForView supportsAllDrives supportsTeamDrives',
  'files.trash':
    'fileId includeLabels includePermissionsForView supportsAllDrives supportsTeamDrives',
  'files.untrash':
    'fileId includeLabels includePermissionsForView supportsAllDrives supportsTeamDrives',
  'files.update':
    'addParents convert enforceSingleParent fileId includeLabels includePermissionsForView ' +
    'modifiedDateBehavior newRevision ocr ocrLanguage pinned removeParents setModifiedDate ' +
    'supportsAllDrives supportsTeamDrives timedTextLanguage timedTextTrackName ' +
    'updateViewedDate useContentAsIndexableText',
  'files.watch':
    'acknowledgeAbuse fileId includeLabels includePermissionsForView projection revisionId ' +
    'supportsAllDrives supportsTeamDrives updateViewedDate',
  'parents.delete': 'enforceSingleParent fileId parentId',
  'parents.get': 'fileId parentId',
  'parents.insert': 'enforceSingleParent fileId supportsAllDrives supportsTeamDrives',
  'parents.list': 'fileId',
  'permissions.delete':
    'enforceExpansiveAccess fileId permissionId supportsAllDrives supportsTeamDrives ' +
    'useDomainAdminAccess',
  'permissions.get':
    'fileId permissionId supportsAllDrives supportsTeamDrives useDomainAdminAccess',
  'permissions.getIdForEmail': 'email',
  'permissions.insert':
    'emailMessage enforceExpansiveAccess enforceSingleParent fileId moveToNewOwnersRoot ' +
    'sendNotificationEmails supportsAllDrives supportsTeamDrives useDomainAdminAccess',
  'permissions.list':
    'fileId includePermissionsForView maxResults pageToken supportsAllDrives ' +
    'supportsTeamDrives useDomainAdminAccess',
  'permissions.patch':
    'enforceExpansiveAccess fileId permissionId removeExpiration supportsAllDrives ' +
    'supportsTeamDrives transferOwnership useDomainAdminAccess',
  'permissions.update':
    'enforceExpansiveAccess fileId permissionId removeExpiration supportsAllDrives ' +
    'supportsTeamDrives transferOwnership useDomainAdminAccess',
  'properties.delete': 'fileId propertyKey visibility',
  'properties.get': 'fileId propertyKey visibility',
  'properties.insert': 'fileId',
  'properties.list': 'fileId',
  'properties.patch': 'fileId propertyKey visibility',
  'properties.update': 'fileId propertyKey visibility',
  'revisions.delete': 'fileId revisionId',
  'revisions.get': 'fileId revisionId',
  'revisions.list': 'fileId maxResults pageToken',
  'revisions.patch': 'fileId revisionId',
  'revisions.update': 'fileId revisionId',
}

/** Fields that a request may set, at least on insert; the service sets all others. */
const writable: Readonly<Record<string, string>> = {
  ChildReference: 'id',
  ParentReference: 'id',
  Channel: 'address expiration id params payload resourceId resourceUri token type',
  Drive: 'backgroundImageFile colorRgb createdDate hidden name restrictions themeId',
  File:
    'clientEncryptionDetails contentRestrictions copyRequiresWriterPermission createdDate ' +
    'description folderColorRgb id indexableText inheritedPermissionsDisabled labels ' +
    'lastViewedByMeDate linkShareMetadata mimeType modifiedDate originalFilename parents ' +
    'properties shortcutDetails thumbnail title writersCanShare',
  Permission:
    'additionalRoles expirationDate id inheritedPermissionsDisabled pendingOwner role type value ' +
    'view withLink',
  Property: 'key value visibility',
  Revision: 'modifiedDate pinned publishAuto published publishedOutsideDomain',
  About: '',
  App: '',
  Change: '',
  FileList: '',
  User: '',
}

function breachesIn(document: unknown) {
  return checkDocument(document).filter(({isBreach}) => isBreach)
}

describe('the description document', () => {
  test('is valid', () => {
    expect(breachesIn(description)).toEqual([])
  })

  test('is valid as JSON, at the URL it is served under', () => {
    const served = descriptionAt('https://files.example')
    expect(breachesIn(JSON.parse(JSON.stringify(served)))).toEqual([])
    expect(served.rootUrl).toBe('https://files.example/')
    expect(served.baseUrl).toBe('https://files.example/drive/v2/')
  })

  test('has the operations of the specification, and no others', () => {
    expect(operations).toHaveLength(57)
    expect(
      operations.map(({operationId, httpMethod, path}) => [
        operationId,
        httpMethod,
        `/${description.servicePath}${path}`,
      ]),
    ).toEqual(endpoints)
  })

  test.each(Object.entries(parameters))('%s has its parameters', (id, names) => {
    const found = Object.keys(operation(id as OperationId).parameters)
    expect(found.sort()).toEqual(words(names))
  })

  test.each(Object.entries(writable))('%s is writable where it should be', (name, fields) => {
    const found = Object.entries(description.schemas[name]?.properties ?? {})
      .filter(([, schema]) => !schema.readOnly)
      .map(([field]) => field)
    expect(found.sort()).toEqual(words(fields))
  })

  test('has descriptions for everything, in sentences', () => {
    const wordless = allWords().filter(([, text]) => !/^[A-Z].*\.$/.test(text ?? ''))
    expect(wordless).toEqual([])
  })

  test('accepts uploads on the paths of the specification', () => {
    const uploads = operations.flatMap(({operationId, mediaUpload}) =>
      mediaUpload ? [[operationId, mediaUpload.protocols?.simple?.path]] : [],
    )
    expect(uploads).toEqual([
      ['files.insert', '/upload/drive/v2/files'],
      ['files.update', '/upload/drive/v2/files/{fileId}'],
    ])
  })

  test('marks the deprecated operation and names its successors', () => {
    expect(operations.filter(({deprecated}) => deprecated).map(({verb}) => verb)).toEqual(['get'])
    const {deprecated, description: text} = operation('changes.get')
    expect(deprecated).toBe(true)
    expect(text).toContain('changes.getStartPageToken')
    expect(text).toContain('changes.list')
  })
})

describe('scope names', () => {
  const full = 'https://www.googleapis.com/auth/drive.file'

  test.each([
    ['drive.file', full],
    [full, full],
    ['drive.unknown', undefined],
    ['toString', undefined],
  ])('%s is short for %s', (name, value) => {
    expect(scopeValue(name)).toBe(value)
  })

  test('are shortened for people', () => {
    expect(shortScope(full)).toBe('drive.file')
    expect(shortScope('user:email')).toBe('user:email')
  })
})

function words(text: string): string[] {
  return text.split(' ').filter(Boolean).sort()
}

type Words = [place: string, text: string | undefined]

/** Everything with a name, and its texts. */
function allWords(): Words[] {
  return [
    ['document', description.description],
    ...Object.entries(description.auth.oauth2.scopes).map(([name, scope]): Words => [
      name,
      scope.description,
    ]),
    ...wordsOf(description.parameters, 'parameters'),
    ...wordsOf(description.schemas, 'schemas'),
    ...operations.flatMap(method => [
      [method.operationId, method.description] as Words,
      ...wordsOf(method.parameters, method.operationId),
    ]),
  ]
}

function wordsOf(schemas: SchemaMap, place: string): Words[] {
  return Object.entries(schemas).flatMap(([name, schema]) => {
    const here = `${place}.${name}`
    return [
      [here, schema.description] as Words,
      ...(schema.enum ?? []).map((value, index): Words => [
        `${here}=${value}`,
        schema.enumDescriptions?.[index],
      ]),
      ...wordsOf(schema.properties ?? {}, here),
      ...wordsOf(schema.items?.properties ?? {}, `${here}[]`),
    ]
  })
}
