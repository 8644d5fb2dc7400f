import {textOf} from '#lib/api/validate.js'
import type {Context} from '#lib/cli/context/context.js'
import {shortTime} from '#lib/cli/terminal/cell.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import {askSearch, columns} from '#lib/cli/terminal/prompts.js'
import {sizeText} from '#lib/cli/terminal/units.js'
import type {Client, Page} from '#lib/client/client.js'
import {recordsOf} from '#lib/client/pages.js'
import {printable} from '#lib/platform/sanitize.js'
import {permissionsOf, roleOf} from './permissions.js'
import {whoIn, whoOf} from './who.js'

type PickContext = Pick<Context, 'io' | 'signal' | 'client'>

/** Has somebody chosen who has access to a file, and gives the ID of the permission. */
export async function pickPermission(context: PickContext, message: string, fileId: string) {
  const permissions = await permissionsOf(await context.client(), fileId)
  return pickOf(context, message, permissions, permissionCells)
}

/** Has somebody chosen whose access can be taken away, and gives the word for them. */
export async function pickAccess(context: PickContext, message: string, fileId: string) {
  const permissions = await permissionsOf(await context.client(), fileId)
  const others = permissions.filter(record => roleOf(record) !== 'owner' && isNamed(record))
  if (others.length === 0) {
    throw new CommandError('notFound', 'Nobody but its owner has access.')
  }
  const id = await pickOf(context, message, others, permissionCells)
  return whoOf(others.find(record => record.id === id)!)
}

/** Whether there is a word for whose it is. */
function isNamed(record: Page): boolean {
  return whoIn(whoOf(record)) !== undefined
}

function permissionCells(record: Page): string[] {
  const who = whoOf(record)
  return [
    record.withLink === true ? `${who} with the link` : who,
    roleOf(record),
    textOf(record.name) ?? '',
  ]
}

/** Has a version of a file chosen, the newest first, and gives its ID. */
export async function pickRevision(context: PickContext, message: string, fileId: string) {
  const client = await context.client()
  const person = 'lastModifyingUser/displayName'
  const fields = `nextPageToken,items(id,modifiedDate,fileSize,${person})`
  const revisions: Page[] = []
  for await (const page of client.pages('revisions.list', {params: {fileId, fields}})) {
    revisions.push(...recordsOf(page))
  }
  if (revisions.length === 0) {
    throw new CommandError('notFound', 'The file has no versions.', 'Folders have none.')
  }
  return pickOf(context, message, revisions.reverse(), ({modifiedDate, fileSize, ...record}) => [
    typeof modifiedDate === 'string' ? shortTime(modifiedDate) : '',
    fileSize === undefined ? '' : sizeText(Number(fileSize)),
    textOf((record.lastModifyingUser as Page | undefined)?.displayName) ?? '',
    String(record.id),
  ])
}

/** Has a shared drive chosen, and gives its ID. */
export async function pickDrive(context: PickContext, message: string) {
  const drives = await drivesOf(await context.client())
  if (drives.length === 0) {
    throw new CommandError(
      'notFound',
      'There are no shared drives.',
      '`drv drives insert --name NAME` makes one.',
    )
  }
  return pickOf(context, message, drives, ({name, createdDate}) => [
    String(name),
    typeof createdDate === 'string' ? shortTime(createdDate) : '',
  ])
}

/** All shared drives, or those whose name has a text in it. */
export async function drivesOf(client: Client, text = '') {
  const found: Array<Page & {readonly id: string; readonly name: string}> = []
  const params = {maxResults: '100', fields: 'nextPageToken,items(id,name,createdDate)'}
  for await (const page of client.pages('drives.list', {params})) {
    for (const record of recordsOf(page)) {
      const {id, name} = record
      if (typeof id !== 'string' || typeof name !== 'string') continue
      if (has(name, text)) found.push({...record, id, name})
    }
  }
  return found
}

/** Has one of a few records chosen, which are all there, by any of their cells. */
async function pickOf(
  context: PickContext,
  message: string,
  records: readonly Page[],
  cells: (record: Page) => readonly string[],
): Promise<string> {
  const lines = columns(records.map(cells), context.io.width)
  const rows = records.map(({id}, index) => ({name: lines[index]!, value: String(id)}))
  return askSearch(context, {
    message: `${printable(message)}:`,
    first: rows,
    find: async text => rows.filter(({name}) => has(name, text)),
    asksService: false,
  })
}

function has(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase())
}
