import type {SchemaMap} from '#lib/api/types.js'
import {
  dateTime,
  etag,
  flag,
  int32,
  int64,
  list,
  listPage,
  nextLink,
  nextPageToken,
  object,
  ofKind,
  oldFlag,
  oldText,
  output,
  record,
  reference,
  selfLink,
  text,
  textMap,
  texts,
} from './fields.js'
import {capabilities, imageMediaMetadata} from './file-fields.js'
/** Fields that a request may set, some of them only on insert or together with a parameter. */
const writable = {
  title: text('Name of the file; several files in a folder may have the same.'),
  description: text('Free text about the file, which full-text search finds.'),
  mimeType: text('Media type of the file; later it changes only together with new content.'),
  id: text('ID of the file; an insert or a copy may bring one from files.generateIds.'),
  parents: list(
    'The folder the file is in, at most one; an update that names another one moves the file, unless addParents or removeParents do.',
    {$ref: 'ParentReference'},
  ),
  createdDate: dateTime('When the file was created; only an insert may set it.'),
  modifiedDate: dateTime(
    'When anyone last changed the file; set it with setModifiedDate or modifiedDateBehavior.',
  ),
  lastViewedByMeDate: dateTime('When you last viewed the file.'),
  originalFilename: text('Name the content was uploaded under; binary files only.'),
  folderColorRgb: text(
    'Colour of a folder as #rrggbb; becomes the nearest of about.folderColorPalette.',
  ),
  labels: object('Marks on the file. All but trashed are yours alone.', {
    starred: flag('You have starred the file.'),
    trashed: flag('The file is in the trash, by itself or through a folder above it.'),
    viewed: flag('You have viewed the file.'),
    ...output({
      hidden: flag('No longer used: always false.', {deprecated: true}),
      modified: flag('You have changed the file.'),
      restricted: oldFlag('copyRequiresWriterPermission'),
    }),
  }),
  properties: list('Custom properties; an update sets the ones sent and leaves the others.', {
    $ref: 'Property',
  }),
  copyRequiresWriterPermission: flag(
    'Readers and commenters may not copy, print or download the file.',
  ),
  writersCanShare: flag('Writers may share the file, as they may by default; My Drive only.'),
  inheritedPermissionsDisabled: flag('Access granted on folders above does not reach the item.'),
  contentRestrictions: list('Locks on the content, if there are any.', {
    $ref: 'ContentRestriction',
  }),
  shortcutDetails: object('What a shortcut points to; shortcuts only, set on insert.', {
    targetId: text('ID of the target.'),
    ...output({
      targetMimeType: text('Media type the target had when the shortcut was made.'),
      targetResourceKey: text('Resource key of the target.'),
    }),
  }),
  linkShareMetadata: object('How links to the file are protected.', {
    securityUpdateEnabled: flag('Links need the resource key.'),
    ...output({
      securityUpdateEligible: flag('Links can be made to need the resource key.'),
    }),
  }),
  indexableText: object('Text by which full-text search finds the file; never returned.', {
    text: text('The text, at most 128 KB.'),
  }),
  thumbnail: object('Thumbnail to use where the service can make none; never returned.', {
    image: {
      type: 'string',
      format: 'byte',
      description: 'The image in URL-safe Base64, at most 2 MB.',
    },
    mimeType: text('Media type of the image.'),
  }),
  clientEncryptionDetails: reference(
    'ClientEncryptionDetails',
    'How clients encrypt the content; not on folders or shortcuts.',
  ),
} as const satisfies SchemaMap

const readOnly = output({
  alternateLink: text('Address that opens the file in its editor or viewer.'),
  appDataContents: flag("The file is in the app's own hidden folder."),
  canComment: oldFlag('capabilities.canComment'),
  canReadRevisions: oldFlag('capabilities.canReadRevisions'),
  capabilities,
  copyable: oldFlag('capabilities.canCopy'),
  defaultOpenWithLink: text(
    'Address that opens the file in your usual app; needs the scope drive.apps.readonly.',
  ),
  downloadUrl: text('Address of the content, valid for a short time; binary files only.'),
  driveId: text('ID of the shared drive the file is in.'),
  editable: oldFlag('capabilities.canEdit'),
  embedLink: text('Address for showing the file inside a web page.'),
  etag,
  explicitlyTrashed: flag('The file itself was trashed, not just a folder above it.'),
  exportLinks: textMap('Download addresses by media type; editor documents only.'),
  fileExtension: text('Last part of fullFileExtension; binary files only.'),
  fileSize: int64('Size in bytes; absent on folders and shortcuts.'),
  fullFileExtension: text('Extension in the title, such as tar.gz; binary files only.'),
  hasAugmentedPermissions: flag('Access is granted on the file itself; shared drives only.'),
  hasThumbnail: flag('There is a thumbnail, though perhaps not for your app.'),
  headRevisionId: text('ID of the newest revision; binary files only.'),
  iconLink: text('Address of the icon.'),
  imageMediaMetadata,
  isAppAuthorized: flag('Your app has made or opened the file.'),
  labelInfo: record('Labels from label sets, as far as includeLabels asks for them.', {
    labels: list('The labels.', {$ref: 'Label'}),
  }),
  lastModifyingUser: reference('User', 'Who changed the file last.'),
  lastModifyingUserName: text('Name of the user who changed the file last.'),
  markedViewedByMeDate: {...dateTime('No longer used.'), deprecated: true},
  md5Checksum: text('MD5 of the content in hexadecimal; binary files only.'),
  modifiedByMeDate: dateTime('When you last changed the file.'),
  openWithLinks: textMap(
    'Addresses that open the file, by app ID; needs the scope drive.apps.readonly.',
  ),
  ownedByMe: flag('You own the file; My Drive only.'),
  ownerNames: texts('Names of the owners; My Drive only.'),
  owners: list('Owners of the file; My Drive only.', {$ref: 'User'}),
  permissionIds: texts('IDs of the permissions on the file.'),
  permissions: list('Who has access, if you may share the file; My Drive only.', {
    $ref: 'Permission',
  }),
  quotaBytesUsed: int64('Storage the file uses in bytes, kept revisions included.'),
  resourceKey: text('Key needed to reach the file through a shared link.'),
  selfLink,
  sha1Checksum: text('SHA-1 of the content in hexadecimal; binary files only.'),
  sha256Checksum: text('SHA-256 of the content in hexadecimal; binary files only.'),
  shareable: oldFlag('capabilities.canShare'),
  shared: flag('Somebody besides the owner has access; My Drive only.'),
  sharedWithMeDate: dateTime('When the file was shared with you.'),
  sharingUser: reference('User', 'Who shared the file with you.'),
  spaces: texts('Spaces the file is in: drive, appDataFolder or photos.'),
  teamDriveId: oldText('driveId'),
  thumbnailLink: text('Address of a thumbnail, valid for some hours.'),
  thumbnailVersion: int64('Version of the thumbnail, to tell whether a copy is stale.'),
  trashedDate: dateTime('When the file was trashed; shared drives only.'),
  trashingUser: reference('User', 'Who trashed the file; shared drives only.'),
  userPermission: reference('Permission', 'Your own access to the file.'),
  version: int64('Number that grows with every change, even those you cannot see.'),
  videoMediaMetadata: record('What the video says about itself; videos only.', {
    durationMillis: int64('Length in milliseconds.'),
    height: int32('Height in pixels.'),
    width: int32('Width in pixels.'),
  }),
  webContentLink: text('Address that downloads the content in a signed-in browser.'),
  webViewLink: text('Address of the web pages in a public folder.'),
})

export const filesSchemas: SchemaMap = {
  ...ofKind({
    File: object('A file or a folder: all that is known about it but its content.', {
      ...writable,
      ...readOnly,
    }),
    FileList: listPage('File', 'A page of files.', {
      etag,
      incompleteSearch: flag('Not all drives could be searched; narrow corpora to be sure.'),
      nextLink,
      nextPageToken,
      selfLink,
    }),
    GeneratedIds: record('IDs reserved for new files.', {
      ids: texts('The IDs.'),
      space: text('Space in which they can be used.'),
    }),
  }),
  ContentRestriction: object('A lock on the content of a file.', {
    ownerRestricted: flag('Only an owner, or an organizer of the shared drive, may lift it.'),
    readOnly: flag('No new content, title or comments.'),
    reason: text('Why the content is locked; set together with readOnly.'),
    restrictionDate: dateTime('When the content was locked.'),
    ...output({
      restrictingUser: reference('User', 'Who locked the content.'),
      systemRestricted: flag('The service itself locked the content, and nobody can lift it.'),
      type: text('Always globalContentRestriction.'),
    }),
  }),
  ClientEncryptionDetails: object('How clients encrypt the content of a file.', {
    decryptionMetadata: reference('DecryptionMetadata', 'What a client needs to decrypt it.'),
    encryptionState: text('Either encrypted or unencrypted.'),
  }),
  DecryptionMetadata: object('What a client needs to decrypt the content of a file.', {
    aes256GcmChunkSize: text('Size of the pieces under AES 256 GCM: default or small.'),
    encryptionResourceKeyHash: text(
      'HMAC-SHA256 of the metadata under the data key, in URL-safe Base64.',
    ),
    jwt: text('Signed token that shows the key service that you may read the file.'),
    kaclsId: int64('ID of the key service.'),
    kaclsName: text('Name of the key service.'),
    keyFormat: text('Form of the unwrapped key: always tinkAesGcmKey.'),
    wrappedKey: text('The data key, wrapped, in URL-safe Base64.'),
  }),
}
