import type {ForeignChange} from './judge.js'
import {md5} from './local.js'
import {created} from './remote.js'

/** Creates a file by plain HTTP, as a client that is not drv does. */
export async function createForeign(
  url: string,
  token: string,
  {
    folder,
    folderId,
    name,
  }: {readonly folder: string; readonly folderId: string; readonly name: string},
): Promise<ForeignChange> {
  const content = `from another client: ${name}`
  const authorization = `Bearer ${token}`
  const upload = await fetch(`${url}/upload/drive/v2/files?uploadType=multipart`, {
    method: 'POST',
    headers: {authorization, 'content-type': 'multipart/related; boundary=part'},
    body: [
      '--part\r\ncontent-type: application/json\r\n\r\n',
      JSON.stringify({title: name, parents: [{id: folderId}]}),
      '\r\n--part\r\ncontent-type: text/plain\r\n\r\n',
      content,
      '\r\n--part--\r\n',
    ].join(''),
  })
  if (!upload.ok) throw new Error(`The other client failed: ${await upload.text()}`)
  const {id} = (await upload.json()) as {id: string}
  const sum = md5(content)
  return {id, name, md5: sum, text: created(`${folder}/${name}`, sum)}
}
