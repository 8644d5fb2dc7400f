import {textOf} from '#lib/api/validate.js'
import type {CallInput, Client} from '#lib/client/client.js'
import {revisionFacts} from '#lib/transfer/remote/records.js'

/** The title of a file, and what is known of the content that `files.get` would give with these parameters. */
export async function fileFacts(client: Client, params: CallInput['params']) {
  const {revisionId, ...rest} = params
  const facts = await client.call('files.get', {
    params: {...rest, fields: 'title,md5Checksum,fileSize,modifiedDate'},
  })
  const title = textOf(facts?.title) ?? ''
  if (revisionId === undefined) return {title, facts}
  return {title, facts: await revisionFacts(client, String(params.fileId), String(revisionId))}
}
