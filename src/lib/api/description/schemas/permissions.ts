import {
  dateTime,
  etag,
  flag,
  kind,
  listPage,
  nextPageToken,
  object,
  oldFlag,
  oldText,
  output,
  records,
  selfLink,
  text,
  texts,
} from '#lib/api/description/fields.js'
import type {SchemaMap} from '#lib/api/types.js'

const permissionDetails = records('Where each part of the access comes from; shared drives only.', {
  additionalRoles: texts('Roles on top of the main one.'),
  inherited: flag('The access comes from above this item.'),
  inheritedFrom: text('ID of the item the access comes from.'),
  permissionType: text(
    'Whether granted on the item (file) or by membership of the drive (member).',
  ),
  role: text('One of organizer, fileOrganizer, writer or reader.'),
})

const teamDrivePermissionDetails = records(
  'Old name of permissionDetails.',
  {
    additionalRoles: texts('Old name of permissionDetails.additionalRoles.', {deprecated: true}),
    inherited: oldFlag('permissionDetails.inherited'),
    inheritedFrom: oldText('permissionDetails.inheritedFrom'),
    role: oldText('permissionDetails.role'),
    teamDrivePermissionType: oldText('permissionDetails.permissionType'),
  },
  {deprecated: true},
)

export const permissionsSchemas = {
  Permission: object('The access that a user, a group, a domain or anyone has to an item.', {
    kind: kind('drive#permission'),
    additionalRoles: texts('Roles on top of the main one: commenter, for readers.'),
    expirationDate: dateTime(
      'When the access ends, within a year; users and groups only, and not on insert.',
    ),
    id: text('ID of whoever has access; an insert takes this or value, neither for anyone.'),
    inheritedPermissionsDisabled: flag(
      'Only owners, organizers and people added to the item itself have access.',
    ),
    pendingOwner: flag('The user has been asked to become owner; users and My Drive only.'),
    role: text('One of owner, organizer, fileOrganizer, writer or reader.', {
      annotations: {required: ['drive.permissions.insert']},
    }),
    type: text('One of user, group, domain or anyone; cannot be changed later.', {
      annotations: {required: ['drive.permissions.insert']},
    }),
    value: text('Email address or domain on insert; never returned.'),
    view: text('View the permission belongs to, if any: published or metadata.'),
    withLink: flag('Only people with the link find the item; types domain and anyone.'),
    ...output({
      authKey: text('No longer used.', {deprecated: true}),
      deleted: flag('The account no longer exists; users and groups only.'),
      domain: text('Domain of the user, group or domain.'),
      emailAddress: text('Email address of the user or group.'),
      etag,
      name: text('Name to show for the user, group or domain.'),
      permissionDetails,
      photoLink: text('Address of a picture of the user, if there is one.'),
      selfLink,
      teamDrivePermissionDetails,
    }),
  }),
  PermissionId: object('The ID that a user or group has in permissions.', {
    kind: kind('drive#permissionId'),
    ...output({id: text('The ID.')}),
  }),
  PermissionList: listPage('drive#permissionList', 'Permission', 'A page of permissions.', {
    etag,
    nextPageToken,
    selfLink,
  }),
} as const satisfies SchemaMap
