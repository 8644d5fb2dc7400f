import type {ServiceResponse} from '#lib/service/http/message.js'
import {answerResponse} from '#lib/service/http/respond.js'
import {previewKind} from './preview.js'
import {readFileContent, type Visitor} from './visitor.js'
import {OWN_ONLY} from './window-page.js'

/**
 * Returns content for a browser: a preview inline, and `isDownload` as a file to save. Browsers neither
 * guess its type, nor run or load anything from it; its sandbox has no access to the pages of the service.
 */
export async function contentFor(
  visitor: Visitor,
  fileId: string,
  isDownload: boolean,
): Promise<ServiceResponse> {
  const {searchParams} = visitor.request.url
  const exportType = searchParams.get('exportType')
  const revisionId = searchParams.get('revisionId')
  const content = exportType
    ? await readFileContent(visitor, 'files.export', {fileId, mimeType: exportType})
    : await readFileContent(visitor, 'files.get', {fileId, ...(revisionId && {revisionId})})
  const {method, headers} = visitor.request
  const options = {method, headers, fields: undefined, callback: undefined, prettyPrint: false}
  const response = answerResponse(visitor.store, content, options)
  const kind = isDownload ? undefined : previewKind(content.mimeType)
  return {
    ...response,
    headers: {
      ...response.headers,
      ...OWN_ONLY,
      'Content-Security-Policy': [
        // The PDF viewer of browsers does not start in a sandbox; it runs no code in this origin.
        ...(kind === 'pdf' ? [] : ['sandbox']),
        "default-src 'none'",
        "style-src 'unsafe-inline'",
        'img-src data:',
        "frame-ancestors 'self'",
      ].join('; '),
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      ...(kind && {'Content-Disposition': 'inline'}),
      ...(kind === 'text' && {'Content-Type': 'text/plain; charset=utf-8'}),
    },
  }
}
