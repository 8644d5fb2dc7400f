import {createRequire} from 'node:module'
import {join} from 'node:path'

/** Shows a file with the generated Node client. Usage: get-client.mjs CLIENTS URL TOKEN ID */
const [clients, url, token, fileId] = process.argv.slice(2)
const {auth, drive} = createRequire(join(clients, 'package.json'))('@googleapis/drive')
const signedIn = new auth.OAuth2()
signedIn.setCredentials({access_token: token})
const {data} = await drive({version: 'v2', auth: signedIn, rootUrl: `${url}/`}).files.get({fileId})
console.log(JSON.stringify(data, null, 2))
