import {schemaOf, type SeedSchema} from './schema-parts.js'

const {any, date, fields, flag, formerLogin, id, list, login, number, ref, text} = schemaOf

/** The schema of files and permissions in a seed. */

const content = {
  text: text('Content as text.'),
  base64: text('Content in base64.', {pattern: '^[A-Za-z0-9+/\\s]*={0,2}\\s*$'}),
  path: text('Local file with the content, relative to the folder of the seed file.', {
    pattern: '.',
  }),
  size: {
    type: ['integer', 'string'],
    description: 'Size of generated content: bytes, or a string such as 10 MiB.',
    minimum: 0,
    pattern: '^\\d+(\\.\\d+)? ?([KMG]iB|B)?$',
  },
  source: text('Stored source of an editor document: HTML or CSV.'),
} satisfies Record<string, SeedSchema>

const fileFields = {
  title: text('Title (default: the name of the local file).'),
  id: id('the item'),
  mimeType: text('Media type (default: from the title and content).'),
  ...content,
  path: text(
    'Local file with the content, or local folder with the children, relative to the folder of the seed file.',
    {pattern: '.'},
  ),
  children: list(ref('file'), 'Items of the folder.'),
  shortcutTarget: text('ID of the target of a shortcut.'),
  targetMimeType: text('Media type of the target of a shortcut.'),
  owner: login('the owner (default: that of the folder)'),
  app: text('Client ID of the app that created the item.'),
  createdDate: date('Time of creation (default: now)'),
  modifiedDate: date('Time of the last change (default: createdDate)'),
  modifiedBy: formerLogin('the last modifier (default: the owner)'),
  description: text('Description.'),
  originalFilename: text('Original file name (default: the title).'),
  fullFileExtension: text('Full file extension (default: from the title).'),
  indexableText: text('Extra text for full-text search.'),
  useContentAsIndexableText: flag('Whether search finds content that is not text.'),
  folderColorRgb: text('Color of a folder, such as #16a765.', {pattern: '^#[\\da-f]{6}$'}),
  copyRequiresWriterPermission: flag('Whether readers cannot copy or download the file.'),
  writersCanShare: flag('Whether writers can share the file.'),
  contentRestriction: fields('Lock on the content.', {
    reason: text('Reason.'),
    ownerRestricted: flag('Whether only the owner can remove the lock.'),
    user: formerLogin('the user who set the lock (default: the owner)'),
    date: date('Time the lock was set'),
  }),
  clientEncryptionDetails: any('As in a File record.'),
  image: fields(
    'Size of an image in pixels (default: from the content).',
    {width: number('Width.'), height: number('Height.')},
    ['width', 'height'],
  ),
  thumbnail: fields('Uploaded thumbnail.', {mimeType: text('Media type.'), ...content}, [
    'mimeType',
  ]),
  thumbnailVersion: number('Number of uploaded thumbnails.', 1),
  trashed: flag('Whether the item itself was moved to the trash.'),
  trashedDate: date('Time the item was moved to the trash'),
  trashedBy: formerLogin('the user who moved the item to the trash (default: the owner)'),
  inheritsPermissions: flag(
    'Whether the item inherits permissions from its parent folder (default: true).',
  ),
  permissions: list(ref('permission'), 'Permissions on the item itself, except that of the owner.'),
  properties: list(
    fields(
      'A custom property.',
      {
        key: text('Key.'),
        value: text('Value.'),
        visibility: text('Who sees the property (default: PUBLIC).', {enum: ['PUBLIC', 'PRIVATE']}),
        app: text('Client ID of the app of a private property.'),
        version: number('Version.', 1),
      },
      ['key', 'value'],
    ),
    'Custom properties.',
  ),
  labels: list(
    fields(
      'A label.',
      {
        id: text('ID of the label.', {pattern: '.'}),
        revisionId: text('ID of the revision of the label (default: a new one).', {pattern: '.'}),
        fields: {
          type: 'object',
          description: 'Fields by ID.',
          additionalProperties: fields(
            'A field.',
            {
              valueType: text('Type.', {
                enum: ['dateString', 'integer', 'selection', 'text', 'user'],
              }),
              values: list({type: 'string'}, 'Values.'),
            },
            ['valueType', 'values'],
          ),
        },
      },
      ['id'],
    ),
    'Labels on the file.',
  ),
  revisions: list(
    fields('A revision with its content.', {
      id: id('the revision'),
      ...content,
      mimeType: text('Media type (default: that of the file).'),
      originalFilename: text('Original file name (default: that of the file).'),
      modifiedDate: date('Time of upload (default: modifiedDate of the file)'),
      modifiedBy: formerLogin(
        'the user who uploaded the revision (default: modifiedBy of the file)',
      ),
      replacedDate: date(
        'Time the next revision replaced this one (default: upload time of the next revision)',
      ),
      pinned: flag('Whether the revision is kept forever.'),
      published: flag('Whether the revision is published.'),
      publishAuto: flag('Whether later revisions are published as well.'),
      publishedOutsideDomain: flag('Whether the revision is published outside the domain.'),
    }),
    'All revisions, oldest first, instead of the content of the file.',
  ),
  headRevisionId: text('ID of the current revision (default: the last one).'),
  marks: {
    type: 'object',
    description: 'State of the file for each user, by login.',
    additionalProperties: fields('State for a user.', {
      starred: flag('Whether the item is starred.'),
      viewedDate: date('Time of the last view'),
      modifiedDate: date('Time of the last change by the user'),
      sharedDate: date('Time the item was shared with the user'),
      sharedBy: login('the user who shared the item'),
    }),
  },
  version: number('Version of the item (default: 2, as after its creation).', 1),
} satisfies Record<string, SeedSchema>

export const file = fields('A file, folder or shortcut.', fileFields)

export const permission = fields(
  'A permission.',
  {
    type: text('Type (default: user).', {enum: ['user', 'group', 'domain', 'anyone']}),
    role: text('Role.', {enum: ['organizer', 'fileOrganizer', 'writer', 'commenter', 'reader']}),
    value: text('Login, email address or domain.', {pattern: '.'}),
    withLink: flag('Whether the link is required.'),
    expirationDate: date('Time of expiration'),
    pendingOwner: flag('Whether the user was asked to become the owner.'),
  },
  ['role'],
)

const {description, folderColorRgb, indexableText, writersCanShare} = fileFields
const {modifiedDate, modifiedBy, properties, labels, marks, version} = fileFields

/** The schema of the folder that all items of a drive are in. */
export const root = fields('Metadata of the root folder.', {
  ...{description, folderColorRgb, indexableText, writersCanShare},
  ...{modifiedDate, modifiedBy, properties, labels, marks, version},
})
