import {RESTRICTIONS} from '#lib/service/store/sharing/capabilities.js'
import {file, permission, root} from './file-schema.js'
import {schemaOf, type SeedSchema} from './schema-parts.js'

const {any, date, fields, flag, id, list, login, named, number, ref, text} = schemaOf

/** The JSON Schema of seeds: validation reads it, and the package publishes it for editors. */

/** The fields of an App record that have no field of their own in a seed. */
const facts = fields('More fields of an App record.', {
  ...named(text('As in an App record.'), [
    ...['objectType', 'shortDescription', 'longDescription', 'openUrlTemplate', 'createUrl'],
    ...['createInFolderTemplate', 'productId', 'productUrl'],
  ]),
  ...named(list({type: 'string'}, 'As in an App record.'), [
    ...['primaryMimeTypes', 'secondaryMimeTypes'],
    ...['primaryFileExtensions', 'secondaryFileExtensions'],
  ]),
  ...named(flag('As in an App record.'), [
    ...['supportsImport', 'supportsMultiOpen', 'supportsOfflineCreate', 'useByDefault'],
  ]),
  icons: list(any('An icon.'), 'As in an App record.'),
  translations: any('Translations, by language code.'),
})

const fraction: SeedSchema = {type: ['integer', 'number'], description: 'From 0 to 1.', minimum: 0}
const backgroundImage = fields(
  'As in a Drive record.',
  {
    id: text('ID of the image.'),
    ...named(fraction, ['xCoordinate', 'yCoordinate', 'width']),
  },
  ['id', 'xCoordinate', 'yCoordinate', 'width'],
)

const restrictions = fields(
  'As in a Drive record.',
  named(flag('Whether the restriction applies.'), RESTRICTIONS),
)

const files = (description: string) => list(ref('file'), description)

/** The schema of a whole seed. */
export const seedSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Seed of a local service of drv',
  ...fields('Data of a local service of drv, for `drv local serve --seed FILE`.', {
    $schema: text('URL or path of this schema, for editors.'),
    users: list(
      fields(
        'A user.',
        {
          login: text('Login: 1 to 39 letters, digits and hyphens.', {
            pattern: '^[A-Za-z\\d]([A-Za-z\\d-]{0,37}[A-Za-z\\d])?$',
          }),
          id: number('Numeric ID (default: the next free one).', 1),
          name: text('Full name (default: the login).'),
          email: text('Email address (default: LOGIN@example.com).', {
            pattern: '^[^\\s@]+@[^\\s@]+$',
          }),
          emailVerified: flag('Whether the address is verified (default: true).'),
          suspended: flag('Whether the account is suspended.'),
          rootId: id('My Drive'),
          root: ref('root'),
          createdDate: date('Time of creation (default: now)'),
          updatedDate: date('Time of the last change to the account'),
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
          clientId: text('Client ID: 1 to 100 letters, digits, dots, hyphens and underscores.', {
            pattern: '^[\\w.-]{1,100}$',
          }),
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
          reuseInterval: number('Number of seconds for which a used refresh token still works.'),
          facts,
          createdDate: date('Time of creation (default: now)'),
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
          createdDate: date('Time of creation (default: now)'),
          createdBy: login('the creator (default: the first user)'),
          requestId: text(
            'Request ID of the call that created the drive (default: the ID of the drive).',
          ),
          themeId: text('ID of the theme.'),
          colorRgb: text('Color instead of a theme, such as #16a765.', {pattern: '^#[\\da-f]{6}$'}),
          backgroundImageFile: backgroundImage,
          restrictions,
          hiddenFor: list({type: 'string'}, 'Logins of users who have hidden the drive.'),
          permissions: list(ref('permission'), 'Members (default: the creator as organizer).'),
          root: ref('root'),
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
          name: text('Name: 1 to 39 letters, digits and hyphens.', {
            pattern: '^[A-Za-z\\d]([A-Za-z\\d-]{0,37}[A-Za-z\\d])?$',
          }),
          id: number('Numeric ID (default: the next free one).', 1),
          sso: flag('Whether the organization requires single sign-on.'),
          drives: list({type: 'string'}, 'IDs or names of the shared drives of the organization.'),
          createdDate: date('Time of creation (default: now)'),
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
          createdDate: date('Time of creation (default: now)'),
          root: ref('root'),
          files: files('Items of the folder.'),
        },
        ['user'],
      ),
      'Hidden folders of apps.',
    ),
  }),
  $defs: {file, permission, root} as Readonly<Record<string, SeedSchema>>,
}
