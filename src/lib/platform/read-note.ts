import {readFileSync, statSync} from 'node:fs'

/**
 * The text of a small file; an empty one where there is no such file, or none that can be read. Not
 * worth a way through the thread pool: each request asks for it, and mostly there is nothing.
 */
export function readNote(file: string): string {
  try {
    return statSync(file, {throwIfNoEntry: false})?.isFile() ? readFileSync(file, 'utf8') : ''
  } catch {
    return ''
  }
}
