import {createReadStream, createWriteStream, readdirSync} from 'node:fs'
import {createRequire} from 'node:module'
import {join} from 'node:path'
import {pipeline} from 'node:stream/promises'

/**
 * Transfers the files of a directory with the generated Node client, or lists all files. Usage: node-client.mjs
 * CLIENTS up|down URL TOKEN WIDTH DIRECTORY FOLDER, or node-client.mjs CLIENTS list URL TOKEN
 */
const [clients, way, url, token, width, directory, folder] = process.argv.slice(2)
const {auth, drive: driveOf} = createRequire(join(clients, 'package.json'))('@googleapis/drive')
const signedIn = new auth.OAuth2()
signedIn.setCredentials({access_token: token})
const drive = driveOf({version: 'v2', auth: signedIn})
// Without it in every call, the calls would go to the public service.
const rootUrl = `${url}/`

/** Does `work` for each item, `width` items at a time. */
async function each(items, work) {
  const rest = items.values()
  const worker = async () => {
    for (const item of rest) await work(item)
  }
  await Promise.all(Array.from({length: Number(width)}, worker))
}

if (way === 'list') {
  let pageToken
  do {
    const {data} = await drive.files.list({maxResults: 1000, pageToken}, {rootUrl})
    process.stdout.write(data.items.map(item => `${JSON.stringify(item)}\n`).join(''))
    pageToken = data.nextPageToken
  } while (pageToken)
} else if (way === 'up') {
  await each(readdirSync(directory), async name => {
    await drive.files.insert(
      {
        requestBody: {title: name, parents: [{id: folder}]},
        media: {
          mimeType: 'application/octet-stream',
          body: createReadStream(join(directory, name)),
        },
        fields: 'id,md5Checksum',
      },
      {rootUrl},
    )
  })
} else {
  const files = []
  let pageToken
  do {
    const {data} = await drive.files.list(
      {
        q: `'${folder}' in parents`,
        maxResults: 1000,
        fields: 'items(id,title),nextPageToken',
        pageToken,
      },
      {rootUrl},
    )
    files.push(...data.items)
    pageToken = data.nextPageToken
  } while (pageToken)
  await each(files, async ({id, title}) => {
    const {data} = await drive.files.get(
      {fileId: id, alt: 'media'},
      {rootUrl, responseType: 'stream'},
    )
    await pipeline(data, createWriteStream(join(directory, title)))
  })
}
