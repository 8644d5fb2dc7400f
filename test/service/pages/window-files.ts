import {FOLDER_TYPE} from '#lib/api/wire.js'
import type {TestService} from '../harness.js'

/** Files for tests of the pages that show them. */

/** Creates an item, with content unless `content` is missing. Returns its record. */
export async function addItem(
  service: TestService,
  {content, ...metadata}: {readonly content?: string | Buffer; readonly [name: string]: unknown},
) {
  const query = {supportsAllDrives: 'true'}
  if (content === undefined) {
    return (await service.json('POST', 'files', {query, body: metadata})).body
  }
  const type = String(metadata.mimeType ?? 'text/plain')
  const body = Buffer.concat([
    Buffer.from(
      `--b\r\nContent-Type: application/json\r\n\r\n${JSON.stringify(metadata)}\r\n--b\r\nContent-Type: ${type}\r\n\r\n`,
    ),
    Buffer.from(content),
    Buffer.from('\r\n--b--'),
  ])
  const path = '/upload/drive/v2/files?uploadType=multipart'
  const headers = {'content-type': 'multipart/related; boundary=b'}
  return (await service.json('POST', path, {query, headers, body})).body
}

export function addFolder(service: TestService, title: string, parent = 'root') {
  return addItem(service, {title, mimeType: FOLDER_TYPE, parents: [{id: parent}]})
}

/** A PDF file with one page; `action` is the action that runs when it opens. */
export function pdfWith(action = ''): string {
  const open = action && `/OpenAction ${action}`
  const objects = [
    `<< /Type /Catalog /Pages 2 0 R ${open} >>`,
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] >>',
  ]
  const body = objects.map((text, at) => `${at + 1} 0 obj\n${text}\nendobj\n`).join('')
  return `%PDF-1.4\n${body}trailer << /Size 4 /Root 1 0 R >>\n%%EOF`
}
