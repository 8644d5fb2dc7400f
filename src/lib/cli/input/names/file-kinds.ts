/** The kind of item that a parameter's value identifies. */
const KINDS = {
  fileId: 'file',
  folderId: 'file',
  childId: 'file',
  parentId: 'file',
  addParents: 'files',
  removeParents: 'files',
  driveId: 'drive',
  teamDriveId: 'drive',
  permissionId: 'permission',
  revisionId: 'revision',
} as const

export type Kind = (typeof KINDS)[keyof typeof KINDS]

/** The kind of item that a parameter's value identifies; `undefined` if none. */
export function namedKindOf(name: string): Kind | undefined {
  return Object.hasOwn(KINDS, name) ? KINDS[name as keyof typeof KINDS] : undefined
}
