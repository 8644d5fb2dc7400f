/** What a word names, by the parameter of the description that it is the value of. */
const NAMED = {
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

export type Kind = (typeof NAMED)[keyof typeof NAMED]

/** What the value of a parameter names, if anything. */
export function kindOf(name: string): Kind | undefined {
  return Object.hasOwn(NAMED, name) ? NAMED[name as keyof typeof NAMED] : undefined
}
