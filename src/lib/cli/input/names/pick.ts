import {nonEmptyText} from '#lib/api/validate.js'
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
import {ALL_DRIVES, queryValue} from '#lib/transfer/remote/records.js'
import {PATH_FIELDS} from '#lib/transfer/remote/remote-path.js'
import {effectiveRole, permissionsOf, whoIn, whoOf} from './permissions.js'

type PickContext = Pick<Context, 'io' | 'signal' | 'client'>

/** Prompts for a permission of a file and returns its ID. */
export async function pickPermission(context: PickContext, message: string, fileId: string) {
  const permissions = await permissionsOf(await context.client(), fileId)
  return pickOf(context, message, permissions, permissionCells)
}

/** Prompts for someone whose access can be revoked and returns the argument that names them. */
export async function pickAccess(context: PickContext, message: string, fileId: string) {
  const permissions = await permissionsOf(await context.client(), fileId)
  // Some permissions cannot be named by an argument.
  const others = permissions.filter(
    record => effectiveRole(record) !== 'owner' && whoIn(whoOf(record)) !== undefined,
  )
  if (others.length === 0) {
    throw new CommandError('notFound', 'Only the owner has access.')
  }
  const id = await pickOf(context, message, others, permissionCells)
  return whoOf(others.find(record => record.id === id)!)
}

function permissionCells(record: Page): string[] {
  const who = whoOf(record)
  return [
    record.withLink === true ? `${who} who has the link` : who,
    effectiveRole(record),
    nonEmptyText(record.name) ?? '',
  ]
}

/** Prompts for a revision of a file, newest first, and returns its ID. */
export async function pickRevision(context: PickContext, message: string, fileId: string) {
  const client = await context.client()
  const person = 'lastModifyingUser/displayName'
  const fields = `nextPageToken,items(id,modifiedDate,fileSize,${person})`
  const revisions = await allRecords(client, 'revisions.list', {params: {fileId, fields}})
  if (revisions.length === 0) {
    throw new CommandError('notFound', 'The file has no revisions.', 'Folders have no revisions.')
  }
  return pickOf(context, message, revisions.reverse(), ({modifiedDate, fileSize, ...record}) => [
    dateCell(modifiedDate),
    fileSize === undefined ? '' : sizeText(Number(fileSize)),
    nonEmptyText((record.lastModifyingUser as Page | undefined)?.displayName) ?? '',
    String(record.id),
  ])
}

/** Prompts for a shared drive and returns its ID. */
export async function pickDrive(context: PickContext, message: string) {
  const drives = await drivesOf(await context.client())
  if (drives.length === 0) {
    throw new CommandError(
      'notFound',
      'You have no shared drives.',
      'Run `drv drives insert --name NAME` to create one.',
    )
  }
  return pickOf(context, message, drives, ({name, createdDate}) => [
    String(name),
    dateCell(createdDate),
  ])
}

/** Prompts for one of the records, searchable by any cell, and returns its ID. */
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

/** A location while browsing. Without an ID it is a list, not a folder. */
interface Location {
  readonly name: string
  readonly id?: string
  readonly driveId?: string
  /** The terms of its search query; absent for the list of shared drives, which is not a search. */
  readonly terms?: readonly string[]
}

const ROOT: Location = {name: 'My Drive', id: 'root', terms: ["'root' in parents"]}
const DRIVES: Location = {name: 'shared drives'}
const SHARED: Location = {name: 'shared with you', terms: ['sharedWithMe = true']}

function folderAt(id: string, title: string, driveId: unknown): Location {
  const inDrive = typeof driveId === 'string' ? {driveId} : {}
  return {name: printable(title), id, terms: [`${queryValue(id)} in parents`], ...inDrive}
}

type Step = {readonly take: string} | {readonly go: Location} | {readonly up: true}

type Rows = ReadonlyArray<Choice<Step> | Remark>

/** Maximum number of rows to request; typing part of a name finds others. */
const PAGE_SIZE = 50

const FIELDS = [
  ...new Set(['id', 'title', 'mimeType', 'fileSize', 'modifiedDate', 'driveId', ...PATH_FIELDS]),
].join(',')

/**
 * Prompts for a file or folder and returns its ID. Browses folder by folder, or searches for part of a
 * name: in the current folder, or everywhere at the root of My Drive. `foldersOnly` hides files.
 */
export async function pickFile(
  context: Pick<Context, 'io' | 'signal' | 'client'>,
  message: string,
  {foldersOnly}: {readonly foldersOnly: boolean},
): Promise<string> {
  const client = await context.client()
  const browser: Browser = {
    client,
    paths: createPaths(client),
    foldersOnly,
    width: context.io.width,
  }
  const history = [ROOT]
  for (;;) {
    const place = history.at(-1)!
    const found = await rowsIn(browser, place)
    // First, so that they are visible however many rows follow.
    const first = [...around(place, foldersOnly), ...found]
    const usual = found.find(isChoice)?.value
    const step = await askSearch<Step>(context, {
      message: `${message}, in ${place.name}:`,
      first,
      ...(usual && {usual}),
      find: text => rowsIn(browser, place, text),
      asksService: true,
    })
    if ('take' in step) return step.take
    if ('go' in step) history.push(step.go)
    else history.pop()
  }
}

interface Browser {
  readonly client: Client
  readonly paths: Paths
  readonly foldersOnly: boolean
  readonly width: number
}

const isChoice = (row: Choice<Step> | Remark): row is Choice<Step> => !('separator' in row)

/** The navigation rows of a location. */
function around(place: Location, foldersOnly: boolean): Array<Choice<Step>> {
  const {name, id} = place
  const here = id === undefined ? [] : [{name: `.   (select ${name})`, value: {take: id}}]
  if (place !== ROOT) return [{name: '..  (back)', value: {up: true}}, ...here]
  return [
    ...(foldersOnly ? here : []),
    {name: 'drive:   (shared drives)', value: {go: DRIVES}},
    {name: 'shared:  (shared with you)', value: {go: SHARED}},
  ]
}

async function rowsIn(browser: Browser, place: Location, text?: string): Promise<Rows> {
  const {client, foldersOnly} = browser
  if (!place.terms) {
    const drives = (await drivesOf(client)).filter(({name}) => has(name, text))
    return drives.map(({id, name}) => ({
      name: `${printable(name)}/`,
      value: {go: folderAt(id, name, id)},
    }))
  }
  // At the root, a search by name covers everything.
  const isEverywhere = place === ROOT && text !== undefined
  const terms = [
    'trashed = false',
    ...(isEverywhere ? [] : place.terms),
    ...(foldersOnly ? [`mimeType = ${queryValue(FOLDER_TYPE)}`] : []),
    ...(text === undefined ? [] : [`title contains ${queryValue(text)}`]),
  ]
  const {driveId} = place
  const params: ParameterTexts = {
    q: terms.join(' and '),
    maxResults: String(PAGE_SIZE),
    orderBy: 'folder,title',
    fields: `nextPageToken,items(${FIELDS})`,
    ...ALL_DRIVES,
    includeItemsFromAllDrives: 'true',
    ...(driveId !== undefined && {corpora: 'drive', driveId}),
  }
  const page = (await client.call('files.list', {params})) ?? {}
  const records = recordsOf(page)
  const names = isEverywhere ? await browser.paths.of(records) : records.map(titleOf)
  const lines = columns(
    records.map((record, index) => fileCells(record, names[index]!)),
    browser.width,
  )
  const rows = records.map((record, index): Choice<Step> => ({
    name: lines[index]!,
    value: stepTo(record),
  }))
  if (page.nextPageToken === undefined) return rows
  return [...rows, {type: 'separator', separator: '…  (more; type part of a name to search)'}]
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
