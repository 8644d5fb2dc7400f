import type {ServiceRequest} from '#lib/service/http/message.js'
import {mediaType} from '#lib/service/http/multipart.js'
import {contentLength, readSize, readStep, sessionHeaders} from './progress.js'
import type {UploadProtocol} from './protocol.js'

/**
 * The protocol of `uploadType=resumable`: `Content-Range` says what comes, 308 how much is there
 * (reference: protocols.md, section 1, Resumable session).
 */
export function rangeProtocol(request: ServiceRequest): UploadProtocol {
  const {headers, method} = request
  return {
    announced: () => ({
      size: readSize(headers, 'X-Upload-Content-Length'),
      mimeType: mediaType(headers['x-upload-content-type']),
    }),
    startsWithContent: () => false,
    started: (id, address) => ({
      status: 200,
      headers: {
        ...sessionHeaders(id),
        Location: `${address}?uploadType=resumable&upload_id=${id}`,
      },
      body: '',
    }),
    cancels: () => method === 'DELETE',
    canceled: id => ({status: 499, headers: sessionHeaders(id), body: ''}),
    step: progress => readStep(headers['content-range'], contentLength(request), progress),
    incomplete(id, received) {
      const plain = headers['x-guploader-no-308']?.toLowerCase() === 'yes'
      return {
        status: plain ? 200 : 308,
        headers: {
          ...sessionHeaders(id),
          ...(received > 0 && {Range: `bytes=0-${received - 1}`}),
          ...(plain && {'X-HTTP-Status-Code-Override': '308'}),
        },
        body: '',
      }
    },
    finished: response => response,
    refused: error => error,
  }
}
