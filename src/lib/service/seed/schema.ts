/** The JSON Schema of seeds: validation reads it, and the package publishes it for editors. */

/** The part of JSON Schema that seeds use. */
export interface Schema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'boolean' | readonly ['integer', 'string']
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  /** The schema of all other fields; `false` refuses them. */
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
  readonly enum?: readonly string[]
  readonly pattern?: string
  readonly minimum?: number
  readonly $ref?: `#/$defs/${string}`
}

/** Where editors find the schema of a seed in a project that has drv installed. */
export const SCHEMA_PATH = './node_modules/drv/dist/seed.schema.json'

const text = (description: string, rest: Schema = {}): Schema => ({
  type: 'string',
  description,
  ...rest,
})
const flag = (description: string): Schema => ({type: 'boolean', description})
const number = (description: string, minimum = 0): Schema => ({
  type: 'integer',
  description,
  minimum,
})
const list = (items: Schema, description: string): Schema => ({type: 'array', items, description})
const any = (description: string): Schema => ({type: 'object', description})
const ref = (name: string): Schema => ({$ref: `#/$defs/${name}`})
const fields = (
  description: string,
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[] = [],
): Schema => ({type: 'object', description, additionalProperties: false, properties, required})

const id = (what: string) => text(`ID of ${what} (default: a new one).`, {pattern: '^[\\w-]{1,200}$'})
const date = (what: string) =>
  text(`${what}: a time such as 2027-03-01T12:00:00Z, or an age such as 7d.`)
const login = (what: string) => text(`Login of ${what}.`)

const content = {
  text: text('Content as text.'),
  base64: text('Content in base64.', {pattern: '^[A-Za-z0-9+/\\s]*={0,2}\\s*$'}),
  path: text('Local file with the content, relative to the folder of the seed file.', {
    pattern: '.',
  }),
  size: {
    type: ['integer', 'string'],
    description: 'Size of generated content: bytes, or a text such as 10 MiB.',
    minimum: 0,
    pattern: '^\\d+(\\.\\d+)? ?([KMG]iB|B)?$',
  },
  source: text('Stored source of an editor document: HTML or CSV.'),
} satisfies Record<string, Schema>

const file = fields('A file, folder or shortcut.', {
  title: text('Title (default: the name of the local file).'),
  id: id('the item'),
  mimeType: text('Media type (default: by title and content).'),
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
  createdDate: date('Creation (default: now)'),
  modifiedDate: date('Last modification (default: createdDate)'),
  modifiedBy: login('the last modifier (default: the owner)'),
  description: text('Description.'),
  originalFilename: text('Original file name (default: the title).'),
  fullFileExtension: text('Full file extension (default: from the title).'),
  indexableText: text('More text for search.'),
  folderColorRgb: text('Color of a folder.', {pattern: '^#[\\da-f]{6}$'}),
  copyRequiresWriterPermission: flag('Whether readers cannot copy or download the file.'),
  writersCanShare: flag('Whether writers can share the file.'),
  contentRestriction: fields('Lock on the content.', {
    reason: text('Reason.'),
    ownerRestricted: flag('Whether only the owner can remove it.'),
    user: login('the user who set it (default: the owner)'),
    date: date('When it was set'),
  }),
  clientEncryptionDetails: any('As in a File record.'),
  image: fields(
    'Size of an image in pixels (default: from the content).',
    {width: number('Width.'), height: number('Height.')},
    ['width', 'height'],
  ),
  thumbnail: fields(
    'Uploaded thumbnail.',
    {mimeType: text('Media type.'), ...content},
    ['mimeType'],
  ),
  thumbnailVersion: number('Number of uploaded thumbnails.', 1),
  trashed: flag('Whether the item itself was moved to the trash.'),
  trashedDate: date('When it was moved to the trash'),
  trashedBy: login('the user who moved it to the trash (default: the owner)'),
  inheritsPermissions: flag('Whether permissions of folders above apply (default: true).'),
  permissions: list(ref('permission'), 'Permissions on the item itself, except that of the owner.'),
  properties: list(
    fields(
      'A custom property.',
      {
        key: text('Key.'),
        value: text('Value.'),
        visibility: text('Who sees it (default: PUBLIC).', {enum: ['PUBLIC', 'PRIVATE']}),
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
        revisionId: text('ID of its revision (default: a new one).', {pattern: '.'}),
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
      modifiedDate: date('Upload (default: modifiedDate of the file)'),
      modifiedBy: login('the user who uploaded it (default: modifiedBy of the file)'),
      replacedDate: date('When the next one replaced it (default: upload of the next one)'),
      pinned: flag('Whether it is kept forever.'),
      published: flag('Whether it is published.'),
      publishAuto: flag('Whether later revisions are published as well.'),
      publishedOutsideDomain: flag('Whether it is published outside the domain.'),
    }),
    'All revisions, oldest first, instead of the content of the file.',
  ),
  headRevisionId: text('ID of the current revision (default: the last one).'),
  marks: {
    type: 'object',
    description: 'Marks of users on the file, by login.',
    additionalProperties: fields('Marks of a user.', {
      starred: flag('Whether it is starred.'),
      viewedDate: date('Last view'),
      modifiedDate: date('Last modification by the user'),
      sharedDate: date('When it was shared with the user'),
      sharedBy: login('the user who shared it'),
    }),
  },
  version: number('Version of the item (default: 2, as after its creation).', 1),
})

const permission = fields(
  'A permission.',
  {
    type: text('Type (default: user).', {enum: ['user', 'group', 'domain', 'anyone']}),
    role: text('Role.', {enum: ['organizer', 'fileOrganizer', 'writer', 'commenter', 'reader']}),
    value: text('Login, email address or domain.', {pattern: '.'}),
    withLink: flag('Whether the link is required.'),
    expirationDate: date('Expiration'),
    pendingOwner: flag('Whether the user was asked to become the owner.'),
  },
  ['role'],
)

const files = (description: string) => list(ref('file'), description)

/** The schema of a whole seed. */
export const seedSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Seed of a local service of drv',
  ...fields('Data of a local service of drv, for `drv local serve --seed FILE`.', {
    $schema: text('This schema, for editors.'),
    users: list(
      fields(
        'A user.',
        {
          login: text('Login.', {pattern: '^[A-Za-z\\d]([A-Za-z\\d-]{0,37}[A-Za-z\\d])?$'}),
          id: number('Number of the user (default: the next one).', 1),
          name: text('Full name (default: the login).'),
          email: text('Email address (default: LOGIN@example.com).', {
            pattern: '^[^\\s@]+@[^\\s@]+$',
          }),
          emailVerified: flag('Whether the address is verified (default: true).'),
          suspended: flag('Whether the account is suspended.'),
          rootId: id('My Drive'),
          createdDate: date('Creation (default: now)'),
          updatedDate: date('Last change of the account'),
          files: files('Items of My Drive.'),
        },
        ['login'],
      ),
      'Users. The first one is the default user.',
    ),
    apps: list(
      fields(
        'An app.',
        {
          clientId: text('Client ID.', {pattern: '^[\\w.-]{1,100}$'}),
          name: text('Name shown to users.', {pattern: '\\S'}),
          clientSecret: text('Client secret (default: none, a public client).', {pattern: '.'}),
          clientSecretHash: text('SHA-256 of the client secret in hex, instead of the secret.', {
            pattern: '^[\\da-f]{64}$',
          }),
          homeUrl: text('Home page.'),
          callbackUrl: text('URL to which the web flow redirects users.'),
          deviceFlow: flag('Whether the app may use the device flow.'),
          suspended: flag('Whether the app is suspended.'),
          expiresIn: number('Lifetime of access tokens in seconds (default: until revoked).', 1),
          reuseInterval: number('Seconds in which a used refresh token still works.'),
          facts: any('More fields of an App record, such as primaryMimeTypes.'),
          createdDate: date('Creation (default: now)'),
        },
        ['clientId', 'name'],
      ),
      'Apps.',
    ),
    drives: list(
      fields(
        'A shared drive.',
        {
          name: text('Name.', {pattern: '\\S'}),
          id: id('the shared drive'),
          createdDate: date('Creation (default: now)'),
          createdBy: login('the creator (default: the first user)'),
          requestId: text('Request ID of its creation (default: the ID).'),
          themeId: text('ID of its theme.'),
          colorRgb: text('Color instead of a theme.', {pattern: '^#[\\da-f]{6}$'}),
          backgroundImageFile: any('As in a Drive record.'),
          restrictions: {
            type: 'object',
            description: 'As in a Drive record.',
            additionalProperties: {type: 'boolean'},
          },
          hiddenFor: list({type: 'string'}, 'Logins of users who have hidden it.'),
          permissions: list(
            ref('permission'),
            'Members (default: the creator as organizer).',
          ),
          version: number('Version of its root folder.', 1),
          files: files('Items of the shared drive.'),
        },
        ['name'],
      ),
      'Shared drives.',
    ),
    organizations: list(
      fields(
        'An organization.',
        {
          name: text('Name.', {pattern: '^[A-Za-z\\d]([A-Za-z\\d-]{0,37}[A-Za-z\\d])?$'}),
          id: number('Number of the organization (default: the next one).', 1),
          sso: flag('Whether it requires single sign-on.'),
          drives: list({type: 'string'}, 'IDs or names of its shared drives.'),
          createdDate: date('Creation (default: now)'),
        },
        ['name'],
      ),
      'Organizations.',
    ),
    files: files('Items of My Drive of the first user.'),
    appData: list(
      fields(
        'The hidden folder of an app for a user.',
        {
          user: login('the user'),
          app: text('Client ID of the app (default: none, for personal tokens).'),
          id: id('the folder'),
          files: files('Items of the folder.'),
        },
        ['user'],
      ),
      'Hidden folders of apps.',
    ),
  }),
  $defs: {file, permission} as Readonly<Record<string, Schema>>,
}
