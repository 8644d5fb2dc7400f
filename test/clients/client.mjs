// A client that uses only the description document: its upload paths, its batch path, its scopes. Usage:
// client.mjs ADDRESS TOKEN. Runs a series of calls and exits with 0 if all of them worked.
import assert from 'node:assert/strict'

const [, , address, token] = process.argv

const answer = await fetch(new URL('/$discovery/rest?version=v2', address))
const api = await answer.json()
const again = await fetch(answer.url, {headers: {'If-None-Match': answer.headers.get('etag')}})
assert.equal(again.status, 304)

/** All methods by their IDs. */
const methods = new Map()
const collect = ({methods: own = {}, resources = {}}) => {
  for (const method of Object.values(own)) methods.set(method.id, method)
  for (const resource of Object.values(resources)) collect(resource)
}
collect(api)

const expand = (template, params) =>
  template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name]))

/** The request of a method: its path from the root, and its body. */
function requestFor(id, params = {}, body = undefined) {
  const {path, httpMethod, parameters = {}} = methods.get(id)
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(params)) {
    const {location} = parameters[name] ?? api.parameters[name]
    if (location === 'query') query.append(name, String(value))
  }
  const target = `${api.servicePath}${expand(path, params)}${query.size > 0 ? `?${query}` : ''}`
  return {method: httpMethod, target, body: body && JSON.stringify(body)}
}

async function send(method, url, {headers = {}, ...rest} = {}) {
  const all = {authorization: `Bearer ${token}`, ...headers}
  const response = await fetch(url, {method, headers: all, ...rest})
  if (response.ok || response.status === 308) return response
  const {error} = await response.json()
  throw Object.assign(new Error(error.message), {status: error.code, error})
}

async function call(id, params, body) {
  const {method, target, ...rest} = requestFor(id, params, body)
  const headers = body ? {'content-type': 'application/json'} : {}
  const response = await send(method, api.rootUrl + target, {headers, ...rest})
  return methods.get(id).response ? response.json() : undefined
}

/** The URL of an upload; the description has it relative to the root. */
const uploadUrl = (id, protocol, params = {}) =>
  api.rootUrl.replace(/\/$/, '') +
  expand(methods.get(id).mediaUpload.protocols[protocol].path, params)

const {mediaUpload} = methods.get('drive.files.insert')
assert.match(mediaUpload.maxSize, /^\d+[KMGT]B$/)
assert.deepEqual(mediaUpload.accept, ['*/*'])

const multipart = new FormData()
multipart.append('metadata', new Blob(['{"title": "parts.txt"}'], {type: 'application/json'}))
multipart.append('content', new Blob(['in parts'], {type: 'text/plain'}))
const form = new Request('http://x', {method: 'POST', body: multipart})
const parts = await send(
  'POST',
  `${uploadUrl('drive.files.insert', 'simple')}?uploadType=multipart`,
  {
    headers: {'content-type': form.headers.get('content-type').replace('form-data', 'related')},
    body: Buffer.from(await form.arrayBuffer()),
  },
)
const {id: fileId, title, fileSize} = await parts.json()
assert.deepEqual([title, fileSize], ['parts.txt', '8'])

const start = await send(
  'PUT',
  `${uploadUrl('drive.files.update', 'resumable', {fileId})}?uploadType=resumable`,
  {headers: {'x-upload-content-type': 'text/plain'}},
)
const session = start.headers.get('location')
assert.equal(new URL(session).origin, new URL(api.rootUrl).origin)
const bytes = Buffer.alloc(600 * 1024, 'drive ')
const first = await send('PUT', session, {
  headers: {'content-range': `bytes 0-${512 * 1024 - 1}/${bytes.length}`},
  body: bytes.subarray(0, 512 * 1024),
})
assert.equal(first.status, 308)
const last = await send('PUT', session, {
  headers: {'content-range': `bytes ${512 * 1024}-${bytes.length - 1}/${bytes.length}`},
  body: bytes.subarray(512 * 1024),
})
assert.equal((await last.json()).fileSize, String(bytes.length))

assert.ok(methods.get('drive.files.get').supportsMediaDownload)
const {method, target} = requestFor('drive.files.get', {fileId, alt: 'media'})
const content = await send(method, api.rootUrl + target)
assert.ok(Buffer.from(await content.arrayBuffer()).equals(bytes))

// One batch at the path that the document names.
const calls = [
  requestFor('drive.files.patch', {fileId, fields: 'title'}, {title: 'Renamed'}),
  requestFor('drive.properties.insert', {fileId}, {key: 'from', value: 'a client'}),
  requestFor('drive.files.get', {fileId: 'nothing'}),
]
const batch = calls.map(({method, target, body}, index) =>
  [
    '--batch',
    'Content-Type: application/http',
    `Content-ID: <call-${index}>`,
    '',
    `${method} /${target} HTTP/1.1`,
    ...(body ? ['Content-Type: application/json', '', body] : ['', '']),
  ].join('\r\n'),
)
const answers = await send('POST', api.rootUrl + api.batchPath, {
  headers: {'content-type': 'multipart/mixed; boundary=batch'},
  body: `${batch.join('\r\n')}\r\n--batch--\r\n`,
})
const statuses = [...(await answers.text()).matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, code]) => code)
assert.deepEqual(statuses, ['200', '200', '404'])
assert.equal((await call('drive.files.get', {fileId})).title, 'Renamed')

// Every required property of a body is declared, and is required.
const {properties} = api.schemas.Permission
const needed = Object.keys(properties).filter(name =>
  properties[name].annotations?.required.includes('drive.permissions.insert'),
)
assert.deepEqual(needed.sort(), ['role', 'type'])
await assert.rejects(call('drive.permissions.insert', {fileId}, {role: 'reader'}), {status: 400})

await call('drive.files.delete', {fileId})
await assert.rejects(call('drive.files.get', {fileId}), {status: 404})
