import {parseFields, select} from '#lib/api/fields.js'
import type {CallInput, Page, ParameterTexts} from './client.js'
import {recordsOf} from './pages.js'

/** Recognizing what an earlier attempt did whose response was lost (reference: protocols.md, section 14). */

/** Whether `record` has the title, and the content by its MD5 (hexadecimal) or without content the type, that were sent. */
export function isSame(
  record: Page,
  {body = {}, md5}: {readonly body?: CallInput['body']; readonly md5?: string},
): boolean {
  if (md5 !== undefined && record.md5Checksum !== md5) return false
  const names = md5 === undefined ? ['title', 'mimeType'] : ['title']
  return names.every(name => body[name] === undefined || body[name] === record[name])
}

/** What a selection of fields must have beside what was asked for, to tell whose file it is. */
const TELLING = 'id,title,mimeType,md5Checksum,fileSize'

/** The selection, widened so that `isSame` can decide; `undefined` selects everything. */
export function widened(fields: string | undefined): string | undefined {
  return fields && `${fields},${TELLING}`
}

/** The parameters that read a file back, with what was asked for and what tells whose it is. */
export function readBack(fileId: string, fields: string | undefined): ParameterTexts {
  const wide = widened(fields)
  return {fileId, supportsAllDrives: 'true', ...(wide && {fields: wide})}
}

/** What is left of a record that was read with `widened(fields)`. */
export function narrowed(record: Page, fields: string | undefined): Page {
  return fields ? (select(parseFields(fields), record) as Page) : record
}

/**
 * The shared drive of a name, if there is exactly one: the refusal of a repeated `requestId` does not say which drive
 * the first request made (reference: protocols.md, section 13). Throws `ProtocolError` for what is no list of drives.
 */
export async function onlyDriveNamed(
  pages: AsyncIterable<Page>,
  name: unknown,
): Promise<Page | undefined> {
  const found: Page[] = []
  for await (const page of pages) {
    found.push(...recordsOf(page).filter(drive => drive.name === name))
  }
  return found.length === 1 ? found[0] : undefined
}
