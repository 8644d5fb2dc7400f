import {createHmac} from 'node:crypto'

/**
 * The names of files that are still being written. Only who knows the data directory's ID can make
 * one: so a file with such a name was written by this service, and is not whole.
 */
export interface UnfinishedNames {
  nameOf(id: string): string
  /** The ID in such a name; `undefined` for any other name. */
  idOf(name: string): string | undefined
}

const UNFINISHED = /^([\w-]+)\.[\w-]{16}\.unfinished$/

export function unfinishedNames(directoryId: string): UnfinishedNames {
  const nameOf = (id: string) => {
    const proof = createHmac('sha256', directoryId).update(id).digest('base64url').slice(0, 16)
    return `${id}.${proof}.unfinished`
  }
  return {
    nameOf,
    idOf(name) {
      const [, id] = UNFINISHED.exec(name) ?? []
      return id !== undefined && nameOf(id) === name ? id : undefined
    },
  }
}
