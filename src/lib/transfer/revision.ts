import type {Client} from '#lib/client/client.js'
import {ServiceError} from '#lib/client/errors.js'
import type {FileRecord} from './types.js'

/**
 * What is known of the content of a revision: `md5Checksum`, `fileSize`, `modifiedDate`. Nothing
 * where the account may read the content, but not the list of revisions.
 */
export async function revisionFacts(
  client: Pick<Client, 'call'>,
  fileId: string,
  revisionId: string,
): Promise<FileRecord | undefined> {
  try {
    return await client.call('revisions.get', {params: {fileId, revisionId}})
  } catch (error) {
    if (error instanceof ServiceError && [403, 404].includes(error.status)) return undefined
    throw error
  }
}
