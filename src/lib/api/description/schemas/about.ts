import type {SchemaMap} from '../../types.js'
import {
  element,
  etag,
  flag,
  int64,
  kind,
  list,
  number,
  object,
  oldFlag,
  oldText,
  output,
  reference,
  selfLink,
  text,
  texts,
} from '../fields.js'

/** Which media types can become which. */
function conversions(description: string) {
  return list(
    description,
    element(
      output({
        source: text('Media type to convert from.'),
        targets: texts('Media types it can become.'),
      }),
    ),
  )
}

const quota = output({
  quotaBytesByService: list(
    'Storage used by each service.',
    element(
      output({
        bytesUsed: int64('Bytes used.'),
        serviceName: text('Name of the service, such as DRIVE.'),
      }),
    ),
  ),
  quotaBytesTotal: int64('Storage you have, in bytes, if it is limited.'),
  quotaBytesUsed: int64('Bytes your files use.'),
  quotaBytesUsedAggregate: int64('Bytes used by all services together.'),
  quotaBytesUsedInTrash: int64('Bytes your trash uses.'),
  quotaType: text('Either LIMITED or UNLIMITED.'),
})

export const aboutSchemas = {
  About: object('Who you are, how much storage you use and what the service can do.', {
    kind: kind('drive#about'),
    ...quota,
    ...output({
      additionalRoleInfo: list(
        'Additional roles by media type; the most specific type counts.',
        element(
          output({
            roleSets: list(
              'Additional roles by main role.',
              element(
                output({
                  additionalRoles: texts('Roles that can go with the main role.'),
                  primaryRole: text('The main role.'),
                }),
              ),
            ),
            type: text('The media type.'),
          }),
        ),
      ),
      canCreateDrives: flag('You may create shared drives.'),
      canCreateTeamDrives: oldFlag('canCreateDrives'),
      domainSharingPolicy: text(
        'How your domain limits sharing: allowed, allowedWithWarning, incomingOnly or disallowed.',
        {deprecated: true},
      ),
      driveThemes: list(
        'Themes for shared drives.',
        element(
          output({
            backgroundImageLink: text('Address of the background image.'),
            colorRgb: text('Colour as #rrggbb.'),
            id: text('ID of the theme.'),
          }),
        ),
      ),
      etag,
      exportFormats: conversions('Formats that editor documents can be exported to.'),
      features: list(
        'Further features of your account.',
        element(
          output({
            featureName: text('Name of the feature.'),
            featureRate: number('double', 'Most requests a second.'),
          }),
        ),
      ),
      folderColorPalette: texts('Colours a folder can have, as #rrggbb.'),
      importFormats: conversions('Formats that can be turned into editor documents.'),
      isCurrentAppInstalled: flag('You have installed the app that asks.'),
      languageCode: text('Your language, as a BCP 47 code.'),
      largestChangeId: int64('Highest number of a change so far.'),
      maxUploadSizes: list(
        'Largest uploads by media type; the most specific type counts.',
        element(output({size: int64('Size in bytes.'), type: text('The media type.')})),
      ),
      name: text('Your name.'),
      permissionId: text('Your ID in permissions.'),
      remainingChangeIds: int64('Changes that remain to be read, counted up to 2500.'),
      rootFolderId: text('ID of the top folder of My Drive.'),
      selfLink,
      teamDriveThemes: list(
        'Old name of driveThemes.',
        element(
          output({
            backgroundImageLink: oldText('driveThemes.backgroundImageLink'),
            colorRgb: oldText('driveThemes.colorRgb'),
            id: oldText('driveThemes.id'),
          }),
        ),
        {deprecated: true},
      ),
      user: reference('User', 'You.'),
    }),
  }),
} as const satisfies SchemaMap
