const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'you lack the permission',
  EBUSY: 'it is in use',
  EDQUOT: 'your share of the disk is used up',
  EEXIST: 'a file is in its place',
  EIO: 'the disk reports an error',
  EISDIR: 'it is a directory',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is no directory',
  EPERM: 'you lack the permission',
  EROFS: 'the disk is read-only',
}

/** What the system's error code means, for a sentence that names the file. */
export function trouble(error: unknown): string {
  const {code = 'unknown error'} = error as NodeJS.ErrnoException
  return WORDS[code] ?? code
}
