import {textOf} from '#lib/api/validate.js'
import {FOLDER_TYPE} from '#lib/api/wire.js'
import type {Context} from '#lib/cli/context/context.js'
import {kindWord} from '#lib/cli/output/people.js'
import {shortTime} from '#lib/cli/terminal/cell.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import {askSearch, type Choice, columns, type Remark} from '#lib/cli/terminal/prompts.js'
import {sizeText} from '#lib/cli/terminal/units.js'
import type {Client, Page, ParameterTexts} from '#lib/client/client.js'
import {allRecords, recordsOf} from '#lib/client/pages.js'
import {printable} from '#lib/platform/sanitize.js'
import {drivesOf} from '#lib/transfer/remote/find-names.js'
import {createPaths, type Paths} from '#lib/transfer/remote/paths.js'
import {ALL_DRIVES, quoted} from '#lib/transfer/remote/records.js'
import {PATH_FIELDS} from '#lib/transfer/remote/remote-path.js'
import {permissionsOf, roleOf, whoIn, whoOf} from './permissions.js'

type PickContext = Pick<Context, 'io' | 'signal' | 'client'>

/** Has somebody chosen who has access to a file, and gives the ID of the permission. */
export async function pickPermission(context: PickContext, message: string, fileId: string) {
  const permissions = await permissionsOf(await context.client(), fileId)
  return pickOf(context, message, permissions, permissionCells)
}

/** Has somebody chosen whose access can be taken away, and gives the word for them. */
export async function pickAccess(context: PickContext, message: string, fileId: string) {
  const permissions = await permissionsOf(await context.client(), fileId)
  // Of some there is no word for whose they are.
  const others = permissions.filter(
    record => roleOf(record) !== 'owner' && whoIn(whoOf(record)) !== undefined,
  )
  if (others.length === 0) {
    throw new CommandError('notFound', 'Nobody but its owner has access.')
  }
  const id = await pickOf(context, message, others, permissionCells)
  return whoOf(others.find(record => record.id === id)!)
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
  const revisions = await allRecords(client, 'revisions.list', {params: {fileId, fields}})
  if (revisions.length === 0) {
    throw new CommandError('notFound', 'The file has no versions.', 'Folders have none.')
  }
  return pickOf(context, message, revisions.reverse(), ({modifiedDate, fileSize, ...record}) => [
    dateCell(modifiedDate),
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
    dateCell(createdDate),
  ])
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

function dateCell(date: unknown): string {
  return typeof date === 'string' ? shortTime(date) : ''
}

function has(text: string, part = ''): boolean {
  return text.toLowerCase().includes(part.toLowerCase())
}

/** Where one is on the way through the folders: what has no ID is a list that is no folder. */
interface Place {
  readonly name: string
  readonly id?: string
  readonly driveId?: string
  /** What the service is asked for; shared drives are listed another way. */
  readonly terms?: readonly string[]
}

const TOP: Place = {name: 'My Drive', id: 'root', terms: ["'root' in parents"]}
const DRIVES: Place = {name: 'the shared drives'}
const SHARED: Place = {name: 'what is shared with you', terms: ['sharedWithMe = true']}

function folderAt(id: string, title: string, driveId: unknown): Place {
  const inDrive = typeof driveId === 'string' ? {driveId} : {}
  return {name: printable(title), id, terms: [`${quoted(id)} in parents`], ...inDrive}
}

type Step = {readonly take: string} | {readonly go: Place} | {readonly up: true}

type Rows = ReadonlyArray<Choice<Step> | Remark>

/** Rows that are asked for at once: who looks for more types a part of the name. */
const SOME = 50

const FIELDS = [
  ...new Set(['id', 'title', 'mimeType', 'fileSize', 'modifiedDate', 'driveId', ...PATH_FIELDS]),
].join(',')

/**
 * Has a file or folder chosen, and gives its ID: folder by folder, or by a part of its name, for which
 * the service is asked; in My Drive itself everything is searched. `foldersOnly` leaves out the rest.
 */
export async function pickFile(
  context: Pick<Context, 'io' | 'signal' | 'client'>,
  message: string,
  {foldersOnly}: {readonly foldersOnly: boolean},
): Promise<string> {
  const client = await context.client()
  const look: Look = {client, paths: createPaths(client), foldersOnly, width: context.io.width}
  const way = [TOP]
  for (;;) {
    const place = way.at(-1)!
    const found = await rowsIn(look, place)
    // Above, where they are seen however many others there are.
    const first = [...around(place, foldersOnly), ...found]
    const usual = found.find(isChoice)?.value
    const step = await askSearch<Step>(context, {
      message: `${message}, in ${place.name}:`,
      first,
      ...(usual && {usual}),
      find: text => rowsIn(look, place, text),
      asksService: true,
    })
    if ('take' in step) return step.take
    if ('go' in step) way.push(step.go)
    else way.pop()
  }
}

interface Look {
  readonly client: Client
  readonly paths: Paths
  readonly foldersOnly: boolean
  readonly width: number
}

const isChoice = (row: Choice<Step> | Remark): row is Choice<Step> => !('separator' in row)

/** The rows beside what is in a place. */
function around(place: Place, foldersOnly: boolean): Array<Choice<Step>> {
  const {name, id} = place
  const here = id === undefined ? [] : [{name: `.   (${name} itself)`, value: {take: id}}]
  if (place !== TOP) return [{name: '..  (back)', value: {up: true}}, ...here]
  return [
    ...(foldersOnly ? here : []),
    {name: 'drive:   (shared drives)', value: {go: DRIVES}},
    {name: 'shared:  (shared with you)', value: {go: SHARED}},
  ]
}

async function rowsIn(look: Look, place: Place, text?: string): Promise<Rows> {
  const {client, foldersOnly} = look
  if (!place.terms) {
    const drives = (await drivesOf(client)).filter(({name}) => has(name, text))
    return drives.map(({id, name}) => ({
      name: `${printable(name)}/`,
      value: {go: folderAt(id, name, id)},
    }))
  }
  // With a name the search goes through everything, from the top.
  const isEverywhere = place === TOP && text !== undefined
  const terms = [
    'trashed = false',
    ...(isEverywhere ? [] : place.terms),
    ...(foldersOnly ? [`mimeType = ${quoted(FOLDER_TYPE)}`] : []),
    ...(text === undefined ? [] : [`title contains ${quoted(text)}`]),
  ]
  const {driveId} = place
  const params: ParameterTexts = {
    q: terms.join(' and '),
    maxResults: String(SOME),
    orderBy: 'folder,title',
    fields: `nextPageToken,items(${FIELDS})`,
    ...ALL_DRIVES,
    includeItemsFromAllDrives: 'true',
    ...(driveId !== undefined && {corpora: 'drive', driveId}),
  }
  const page = (await client.call('files.list', {params})) ?? {}
  const records = recordsOf(page)
  const names = isEverywhere ? await look.paths.of(records) : records.map(titleOf)
  const lines = columns(
    records.map((record, index) => fileCells(record, names[index]!)),
    look.width,
  )
  const rows = records.map((record, index): Choice<Step> => ({
    name: lines[index]!,
    value: stepTo(record),
  }))
  if (page.nextPageToken === undefined) return rows
  return [...rows, {type: 'separator', separator: '…  (more: type a part of the name)'}]
}

const titleOf = ({title, id}: Page) => String(title ?? id)

function stepTo(record: Page): Step {
  const id = String(record.id)
  if (record.mimeType !== FOLDER_TYPE) return {take: id}
  return {go: folderAt(id, titleOf(record), record.driveId)}
}

function fileCells({mimeType, fileSize, modifiedDate}: Page, name: string): string[] {
  const isFolder = mimeType === FOLDER_TYPE
  return [
    isFolder ? `${name}/` : name,
    isFolder
      ? ''
      : fileSize === undefined
        ? kindWord(String(mimeType))
        : sizeText(Number(fileSize)),
    dateCell(modifiedDate),
  ]
}
