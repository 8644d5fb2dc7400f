import {operation, type Operation} from '../api/operations.js'
import {JSON_TYPE} from '../api/wire.js'
import type {CallInput, Client} from './client.js'
import {announcedSize, readContent} from './incoming.js'
import {chooseUpload, outgoing, uploadHeaders} from './outgoing.js'
import {eachPage} from './pages.js'
import {
  commonHeaders,
  createSender,
  readJson,
  type Outbound,
  type SenderOptions,
} from './request.js'
import {requestUrl} from './url.js'

/**
 * The file service at a base address as functions. Requests are sent once and redirects are not
 * followed; the token goes to the base address's own origin alone. Throws
 * `SetupError('configuration')` for an address that would carry the token in the open.
 */
export function createClient(options: SenderOptions): Client {
  const sender = createSender(options)
  const {baseUrl} = sender

  async function call(id: Operation['operationId'], input: CallInput) {
    const method = operation(id)
    const request = build(baseUrl, method, input)
    const response = await sender.send(request)
    return readJson(response, sender.reading(request.url), method.response !== undefined)
  }

  return {
    call,
    async download(id, input) {
      const method = operation(id)
      // Who answers with JSON as well has to be asked for the content.
      const params = method.response ? {...input.params, alt: 'media'} : input.params
      const request = {...build(baseUrl, method, {...input, params}), content: true}
      const response = await sender.send(request)
      return {
        stream: readContent(response, sender.reading(request.url)),
        size: announcedSize(response),
        mimeType: response.headers['content-type'],
        etag: response.headers.etag,
      }
    },
    pages: (id, input) => eachPage(params => call(id, {...input, params}), input.params),
    prepare(id, input) {
      const method = operation(id)
      const type = input.upload && chooseUpload(input.body)
      return {
        method: method.httpMethod,
        url: requestUrl(baseUrl, method, input.params, type),
        headers: {
          ...commonHeaders(false),
          ...(input.upload && type
            ? uploadHeaders(type, input.upload)
            : input.body && {'content-type': JSON_TYPE}),
        },
        body: input.body,
      }
    },
  }
}

function build(baseUrl: string, method: Operation, {params, body, upload}: CallInput): Outbound {
  const common = {method: method.httpMethod}
  if (upload) {
    const type = chooseUpload(body)
    const url = requestUrl(baseUrl, method, params, type)
    return {...common, url, ...outgoing(type, upload, body)}
  }
  const url = requestUrl(baseUrl, method, params)
  if (!body) return {...common, url}
  return {...common, url, headers: {'content-type': JSON_TYPE}, body: JSON.stringify(body)}
}
