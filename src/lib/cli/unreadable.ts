import {UsageError} from './errors.js'

const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'you may not read it',
  EISDIR: 'it is a directory',
  ELOOP: 'it is a link to itself',
  ENAMETOOLONG: 'the name is too long for a file',
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EPERM: 'you may not read it',
}

/** What is said of a file that cannot be read; `what` is the file as the sentence names it. */
export function unreadable(what: string, {code = '', message}: NodeJS.ErrnoException): UsageError {
  return new UsageError(`Cannot read ${what}: ${WORDS[code] ?? message}.`, 'Check the path.')
}
