import type {MethodSources} from '#lib/api/types.js'
import {
  etag,
  flag,
  int64,
  number,
  object,
  ofKind,
  oldFlag,
  oldText,
  on,
  output,
  query,
  record,
  records,
  reference,
  selfLink,
  text,
  texts,
} from './fields.js'
import {followScopes, lessScopes} from './scopes.js'

export const about = {
  get: {
    path: 'about',
    httpMethod: 'GET',
    description: 'Show who you are, how much storage you use and what the service can do.',
    parameters: query({
      includeSubscribed: on('Also count changes to files outside My Drive.'),
      maxChangeIdCount: int64('Count at most this many remaining changes.', {default: '1'}),
      startChangeId: int64('Count the remaining changes from this change on.'),
    }),
    response: {$ref: 'About'},
    scopes: lessScopes(followScopes, 'drive.apps.readonly', 'drive.meet.readonly'),
  },
} as const satisfies MethodSources

/** Which media types can become which. */
function conversions(description: string) {
  return records(description, {
    source: text('Media type to convert from.'),
    targets: texts('Media types it can become.'),
  })
}

const quota = output({
  quotaBytesByService: records('Storage used by each service.', {
    bytesUsed: int64('Bytes used.'),
    serviceName: text('Name of the service, such as DRIVE.'),
  }),
  quotaBytesTotal: int64('Storage you have, in bytes, if it is limited.'),
  quotaBytesUsed: int64('Bytes your files use.'),
  quotaBytesUsedAggregate: int64('Bytes used by all services together.'),
  quotaBytesUsedInTrash: int64('Bytes your trash uses.'),
  quotaType: text('Either LIMITED or UNLIMITED.'),
})

export const aboutSchemas = ofKind({
  About: object('Who you are, how much storage you use and what the service can do.', {
    ...quota,
    ...output({
      additionalRoleInfo: records(
        'Additional roles by media type; the most specific type counts.',
        {
          roleSets: records('Additional roles by main role.', {
            additionalRoles: texts('Roles that can go with the main role.'),
            primaryRole: text('The main role.'),
          }),
          type: text('The media type.'),
        },
      ),
      canCreateDrives: flag('You may create shared drives.'),
      canCreateTeamDrives: oldFlag('canCreateDrives'),
      domainSharingPolicy: text(
        'How your domain limits sharing: allowed, allowedWithWarning, incomingOnly or disallowed.',
        {deprecated: true},
      ),
      driveThemes: records('Themes for shared drives.', {
        backgroundImageLink: text('Address of the background image.'),
        colorRgb: text('Colour as #rrggbb.'),
        id: text('ID of the theme.'),
      }),
      etag,
      exportFormats: conversions('Formats that editor documents can be exported to.'),
      features: records('Further features of your account.', {
        featureName: text('Name of the feature.'),
        featureRate: number('double', 'Most requests a second.'),
      }),
      folderColorPalette: texts('Colours a folder can have, as #rrggbb.'),
      importFormats: conversions('Formats that can be turned into editor documents.'),
      isCurrentAppInstalled: flag('You have installed the app that asks.'),
      languageCode: text('Your language, as a BCP 47 code.'),
      largestChangeId: int64('Highest number of a change so far.'),
      maxUploadSizes: records('Largest uploads by media type; the most specific type counts.', {
        size: int64('Size in bytes.'),
        type: text('The media type.'),
      }),
      name: text('Your name.'),
      permissionId: text('Your ID in permissions.'),
      remainingChangeIds: int64('Changes that remain to be read, counted up to 2500.'),
      rootFolderId: text('ID of the top folder of My Drive.'),
      selfLink,
      teamDriveThemes: records(
        'Old name of driveThemes.',
        {
          backgroundImageLink: oldText('driveThemes.backgroundImageLink'),
          colorRgb: oldText('driveThemes.colorRgb'),
          id: oldText('driveThemes.id'),
        },
        {deprecated: true},
      ),
      user: reference('User', 'You.'),
    }),
  }),
})

export const usersSchemas = ofKind({
  User: record('A person who uses the service.', {
    displayName: text('Name to show.'),
    emailAddress: text('Email address, if the user lets you see it.'),
    isAuthenticatedUser: flag('This is you.'),
    permissionId: text('ID of the user in permissions.'),
    picture: record('Profile picture.', {url: text('Address of the picture.')}),
  }),
})
