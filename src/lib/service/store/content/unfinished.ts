/**
 * The names of files that are still being written: a random ID, as whole content has it, and an
 * ending. Nothing that anybody else puts into a data directory is called so.
 */
const UNFINISHED = /^([\w-]{28})\.unfinished$/

export function unfinishedName(id: string): string {
  return `${id}.unfinished`
}

/** The ID in such a name; `undefined` for any other name. */
export function unfinishedId(name: string): string | undefined {
  return UNFINISHED.exec(name)?.[1]
}
