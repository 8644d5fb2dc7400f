/** What a file's record has to tell for its path. */
export const PATH_FIELDS = ['id', 'title', 'driveId', 'labels/trashed', 'parents(id,isRoot)']
