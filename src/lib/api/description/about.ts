import type {MethodSources} from '#lib/api/types.js'
import {
  deprecatedFlag,
  deprecatedText,
  etag,
  flag,
  int64,
  number,
  object,
  on,
  output,
  query,
  record,
  records,
  reference,
  selfLink,
  text,
  texts,
  withKind,
} from './fields.js'
import {followScopes, withoutScopes} from './scopes.js'

export const about = {
  get: {
    path: 'about',
    httpMethod: 'GET',
    description: 'Show your account, storage quota and supported formats.',
    parameters: query({
      includeSubscribed: on('Also count changes to files outside My Drive.'),
      maxChangeIdCount: int64('Maximum number of remaining changes to count.', {default: '1'}),
      startChangeId: int64('ID of the change to start counting from.'),
    }),
    response: {$ref: 'About'},
    scopes: withoutScopes(followScopes, 'drive.apps.readonly', 'drive.meet.readonly'),
  },
} as const satisfies MethodSources

/** A list of conversions: a media type and the media types it can be converted to. */
function conversions(description: string) {
  return records(description, {
    source: text('Media type to convert from.'),
    targets: texts('Media types it can be converted to.'),
  })
}

const quota = output({
  quotaBytesByService: records('Storage used by each service.', {
    bytesUsed: int64('Bytes used.'),
    serviceName: text('Name of the service, such as DRIVE.'),
  }),
  quotaBytesTotal: int64('Your storage limit in bytes; absent if unlimited.'),
  quotaBytesUsed: int64('Bytes used by your files.'),
  quotaBytesUsedAggregate: int64('Bytes used across all services.'),
  quotaBytesUsedInTrash: int64('Bytes used by files in your trash.'),
  quotaType: text('Kind of quota: LIMITED or UNLIMITED.'),
})

export const aboutSchemas = withKind({
  About: object('Your account, storage quota and supported formats.', {
    ...quota,
    ...output({
      additionalRoleInfo: records(
        'Additional roles by media type; the most specific type applies.',
        {
          roleSets: records('Additional roles by main role.', {
            additionalRoles: texts('Roles that can be added to the main role.'),
            primaryRole: text('The main role.'),
          }),
          type: text('The media type.'),
        },
      ),
      canCreateDrives: flag('You can create shared drives.'),
      canCreateTeamDrives: deprecatedFlag('canCreateDrives'),
      domainSharingPolicy: text(
        'Sharing policy of your domain: allowed, allowedWithWarning, incomingOnly or disallowed.',
        {deprecated: true},
      ),
      driveThemes: records('Themes for shared drives.', {
        backgroundImageLink: text('URL of the background image.'),
        colorRgb: text('Color as #rrggbb.'),
        id: text('ID of the theme.'),
      }),
      etag,
      exportFormats: conversions('Formats that editor documents can be exported to.'),
      features: records('Extra features of your account.', {
        featureName: text('Name of the feature.'),
        featureRate: number('double', 'Maximum requests per second.'),
      }),
      folderColorPalette: texts('Colors a folder can have, as #rrggbb.'),
      importFormats: conversions('Formats that can be converted to editor documents.'),
      isCurrentAppInstalled: flag('You have installed the app that sent the request.'),
      languageCode: text('Your language, as a BCP 47 code.'),
      largestChangeId: int64('ID of the latest change.'),
      maxUploadSizes: records(
        'Maximum upload sizes by media type; the most specific type applies.',
        {
          size: int64('Size in bytes.'),
          type: text('The media type.'),
        },
      ),
      name: text('Your name.'),
      permissionId: text('Your permission ID.'),
      remainingChangeIds: int64('Number of changes not yet read, counted up to 2500.'),
      rootFolderId: text('ID of the root folder of My Drive.'),
      selfLink,
      teamDriveThemes: records(
        'Deprecated: use driveThemes.',
        {
          backgroundImageLink: deprecatedText('driveThemes.backgroundImageLink'),
          colorRgb: deprecatedText('driveThemes.colorRgb'),
          id: deprecatedText('driveThemes.id'),
        },
        {deprecated: true},
      ),
      user: reference('User', 'Your user record.'),
    }),
  }),
})

export const usersSchemas = withKind({
  User: record('A user of the service.', {
    displayName: text('Display name.'),
    emailAddress: text('Email address, if visible to you.'),
    isAuthenticatedUser: flag('The user is you.'),
    permissionId: text('Permission ID of the user.'),
    picture: record('Profile picture.', {url: text('URL of the picture.')}),
  }),
})
