import type {SchemaMap} from '#lib/api/types.js'
import {
  dateTime,
  deprecatedFlag,
  deprecatedText,
  etag,
  flag,
  int32,
  int64,
  list,
  listPage,
  nextLink,
  nextPageToken,
  object,
  output,
  record,
  reference,
  selfLink,
  text,
  textMap,
  texts,
  withKind,
} from './fields.js'
import {capabilities, imageMediaMetadata} from './file-fields.js'
/** Fields that a request can set; some only on insert or with a parameter. */
const writable = {
  title: text('Name of the file; not necessarily unique in its folder.'),
  description: text('Description of the file; included in full-text search.'),
  mimeType: text('Media type of the file; after creation, changes only together with the content.'),
  id: text('ID of the file; insert and copy accept one from files.generateIds.'),
  parents: list(
    'Parent folder, at most one; an update with a different parent moves the file, unless addParents or removeParents is set.',
    {$ref: 'ParentReference'},
  ),
  createdDate: dateTime('Time of creation; can be set only when the file is created.'),
  modifiedDate: dateTime(
    'Time of the last change by anyone; to change it later, use setModifiedDate or modifiedDateBehavior.',
  ),
  lastViewedByMeDate: dateTime('Time you last viewed the file.'),
  originalFilename: text('File name at the time of upload; binary files only.'),
  folderColorRgb: text(
    'Color of a folder as #rrggbb, rounded to the nearest in about.folderColorPalette.',
  ),
  labels: object('Flags of the file. All except trashed are per user.', {
    starred: flag('Star the file.'),
    trashed: flag(
      'Move the file to the trash. In a response, also true if only a parent folder was trashed.',
    ),
    viewed: flag('Mark the file as viewed.'),
    ...output({
      hidden: flag('No longer used: always false.', {deprecated: true}),
      modified: flag('You have changed the file.'),
      restricted: deprecatedFlag('copyRequiresWriterPermission'),
    }),
  }),
  properties: list('Custom properties; an update changes only the properties it contains.', {
    $ref: 'Property',
  }),
  copyRequiresWriterPermission: flag(
    'Prevent readers and commenters from copying, printing and downloading the file.',
  ),
  writersCanShare: flag('Writers can share the file (default: true); My Drive only.'),
  inheritedPermissionsDisabled: flag('Do not inherit permissions from the parent folder.'),
  contentRestrictions: list('Locks on the content.', {
    $ref: 'ContentRestriction',
  }),
  shortcutDetails: object('Target of the shortcut; shortcuts only, set on insert.', {
    targetId: text('ID of the file or folder that the shortcut points to.'),
    ...output({
      targetMimeType: text('Media type of the target when the shortcut was created.'),
      targetResourceKey: text('Resource key of the target.'),
    }),
  }),
  linkShareMetadata: object('Security settings of links to the file.', {
    securityUpdateEnabled: flag('Links require the resource key.'),
    ...output({
      securityUpdateEligible: flag('Links can be set to require the resource key.'),
    }),
  }),
  indexableText: object('Extra text for full-text search; never returned.', {
    text: text('Extra text for full-text search, at most 128 KiB.'),
  }),
  thumbnail: object('Thumbnail to use if the service cannot create one; never returned.', {
    image: {
      type: 'string',
      format: 'byte',
      description: 'Thumbnail image in URL-safe Base64, at most 2 MiB.',
    },
    mimeType: text('Media type of the thumbnail image.'),
  }),
  clientEncryptionDetails: reference(
    'ClientEncryptionDetails',
    'Client-side encryption of the content; not on folders or shortcuts.',
  ),
} as const satisfies SchemaMap

const readOnly = output({
  alternateLink: text('URL that opens the file in its editor or viewer.'),
  appDataContents: flag("The file is in the app's hidden data folder."),
  canComment: deprecatedFlag('capabilities.canComment'),
  canReadRevisions: deprecatedFlag('capabilities.canReadRevisions'),
  capabilities,
  copyable: deprecatedFlag('capabilities.canCopy'),
  defaultOpenWithLink: text(
    'URL that opens the file in your default app; requires the scope drive.apps.readonly.',
  ),
  downloadUrl: text('Short-lived download URL; binary files only.'),
  driveId: text('ID of the shared drive the file is in.'),
  editable: deprecatedFlag('capabilities.canEdit'),
  embedLink: text('URL for embedding the file in a web page.'),
  etag,
  explicitlyTrashed: flag('The file itself was trashed, not only a parent folder.'),
  exportLinks: textMap('Download URLs by media type; editor documents only.'),
  fileExtension: text('Last part of fullFileExtension; binary files only.'),
  fileSize: int64('Size in bytes; absent on folders and shortcuts.'),
  fullFileExtension: text('Extension in the title, such as tar.gz; binary files only.'),
  hasAugmentedPermissions: flag(
    'The file has its own permissions besides inherited ones; shared drives only.',
  ),
  hasThumbnail: flag('The file has a thumbnail, although your app may not have access to it.'),
  headRevisionId: text('ID of the newest revision; binary files only.'),
  iconLink: text('URL of the icon.'),
  imageMediaMetadata,
  isAppAuthorized: flag('Your app created or opened the file.'),
  labelInfo: record('Labels requested with includeLabels.', {
    labels: list('The labels.', {$ref: 'Label'}),
  }),
  lastModifyingUser: reference('User', 'User who last changed the file.'),
  lastModifyingUserName: text('Name of the user who last changed the file.'),
  markedViewedByMeDate: {...dateTime('No longer used.'), deprecated: true},
  md5Checksum: text('MD5 of the content in hexadecimal; binary files only.'),
  modifiedByMeDate: dateTime('Time you last changed the file.'),
  openWithLinks: textMap(
    'URLs that open the file, by app ID; requires the scope drive.apps.readonly.',
  ),
  ownedByMe: flag('You own the file; My Drive only.'),
  ownerNames: texts('Names of the owners; My Drive only.'),
  owners: list('Owners of the file; My Drive only.', {$ref: 'User'}),
  permissionIds: texts('IDs of the permissions on the file.'),
  permissions: list('Permissions on the file, if you can share it; My Drive only.', {
    $ref: 'Permission',
  }),
  quotaBytesUsed: int64('Storage used by the file in bytes, including its revisions.'),
  resourceKey: text('Key required to access the file through a shared link.'),
  selfLink,
  sha1Checksum: text('SHA-1 of the content in hexadecimal; binary files only.'),
  sha256Checksum: text('SHA-256 of the content in hexadecimal; binary files only.'),
  shareable: deprecatedFlag('capabilities.canShare'),
  shared: flag('The file is shared with someone other than its owner; My Drive only.'),
  sharedWithMeDate: dateTime('Time the file was shared with you.'),
  sharingUser: reference('User', 'User who shared the file with you.'),
  spaces: texts('Spaces the file is in: drive, appDataFolder or photos.'),
  teamDriveId: deprecatedText('driveId'),
  thumbnailLink: text('URL of a thumbnail, valid for a few hours.'),
  thumbnailVersion: int64('Version of the thumbnail, for cache invalidation.'),
  trashedDate: dateTime('Time the file was trashed; shared drives only.'),
  trashingUser: reference('User', 'User who trashed the file; shared drives only.'),
  userPermission: reference('Permission', 'Your permission on the file.'),
  version: int64(
    'Version number; increases with every change, including changes not visible to you.',
  ),
  videoMediaMetadata: record('Metadata of the video; videos only.', {
    durationMillis: int64('Duration in milliseconds.'),
    height: int32('Height in pixels.'),
    width: int32('Width in pixels.'),
  }),
  webContentLink: text('URL that downloads the content in a signed-in browser.'),
  webViewLink: text('URL of the website in a public folder.'),
})

export const filesSchemas: SchemaMap = {
  ...withKind({
    File: object('Metadata of a file or folder.', {
      ...writable,
      ...readOnly,
    }),
    FileList: listPage('File', 'A page of files.', {
      etag,
      incompleteSearch: flag(
        'Some drives could not be searched; a narrower corpora gives complete results.',
      ),
      nextLink,
      nextPageToken,
      selfLink,
    }),
    GeneratedIds: record('IDs reserved for new files.', {
      ids: texts('The IDs.'),
      space: text('Space the IDs are valid in.'),
    }),
  }),
  ContentRestriction: object('A lock on the content of a file.', {
    ownerRestricted: flag('Only owners, and organizers of the shared drive, can remove the lock.'),
    readOnly: flag('The content, title and comments cannot be changed.'),
    reason: text('Reason for the lock; set together with readOnly.'),
    restrictionDate: dateTime('Time the content was locked.'),
    ...output({
      restrictingUser: reference('User', 'User who locked the content.'),
      systemRestricted: flag('The service locked the content; no user can unlock it.'),
      type: text('Always globalContentRestriction.'),
    }),
  }),
  ClientEncryptionDetails: object("Client-side encryption of a file's content.", {
    decryptionMetadata: reference('DecryptionMetadata', 'Metadata needed to decrypt the content.'),
    encryptionState: text('State: encrypted or unencrypted.'),
  }),
  DecryptionMetadata: object("Metadata needed to decrypt a file's content.", {
    aes256GcmChunkSize: text('Chunk size for AES-256-GCM: default or small.'),
    encryptionResourceKeyHash: text(
      'HMAC-SHA256 of the metadata keyed with the data key, in URL-safe Base64.',
    ),
    jwt: text('JWT that proves to the key service that you can read the file.'),
    kaclsId: int64('ID of the key service.'),
    kaclsName: text('Name of the key service.'),
    keyFormat: text('Format of the unwrapped key: always tinkAesGcmKey.'),
    wrappedKey: text('Wrapped data key in URL-safe Base64.'),
  }),
}
