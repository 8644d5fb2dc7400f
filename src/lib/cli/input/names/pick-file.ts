import {FOLDER_TYPE} from '#lib/api/wire.js'
import type {Context} from '#lib/cli/context/context.js'
import {kindWord} from '#lib/cli/output/people.js'
import {shortTime} from '#lib/cli/terminal/cell.js'
import {askSearch, type Choice, columns, type Remark} from '#lib/cli/terminal/prompts.js'
import {sizeText} from '#lib/cli/terminal/units.js'
import type {Client, Page, ParameterTexts} from '#lib/client/client.js'
import {recordsOf} from '#lib/client/pages.js'
import {printable} from '#lib/platform/sanitize.js'
import {PATH_FIELDS} from '#lib/transfer/remote/pathfields.js'
import {createPaths, type Paths} from '#lib/transfer/remote/paths.js'
import {ALL_DRIVES, quoted} from '#lib/transfer/remote/records.js'
import {drivesOf} from './pick.js'

/** Where one is on the way through the folders. */
type Place =
  | {readonly in: 'top'}
  | {readonly in: 'drives'}
  | {readonly in: 'shared'}
  | {readonly in: 'folder'; readonly id: string; readonly name: string; readonly driveId?: string}

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
  const way: Place[] = [{in: 'top'}]
  for (;;) {
    const place = way.at(-1)!
    const found = await rowsIn(look, place)
    // Above, where they are seen however many others there are.
    const first = [...around(place, foldersOnly), ...found]
    const usual = found.find(isChoice)?.value
    const step = await askSearch<Step>(context, {
      message: `${message}, in ${nameOf(place)}:`,
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

function nameOf(place: Place): string {
  switch (place.in) {
    case 'top':
      return 'My Drive'
    case 'drives':
      return 'the shared drives'
    case 'shared':
      return 'what is shared with you'
    case 'folder':
      return printable(place.name)
  }
}

/** The rows beside what is in a place. */
function around(place: Place, foldersOnly: boolean): Array<Choice<Step>> {
  const here = (id: string, name: string): Choice<Step> => ({
    name: `.   (${name} itself)`,
    value: {take: id},
  })
  const up: Choice<Step> = {name: '..  (back)', value: {up: true}}
  if (place.in === 'top') {
    return [
      ...(foldersOnly ? [here('root', 'My Drive')] : []),
      {name: 'drive:   (shared drives)', value: {go: {in: 'drives'}}},
      {name: 'shared:  (shared with you)', value: {go: {in: 'shared'}}},
    ]
  }
  return place.in === 'folder' ? [up, here(place.id, printable(place.name))] : [up]
}

async function rowsIn(look: Look, place: Place, text?: string): Promise<Rows> {
  const {client, foldersOnly} = look
  if (place.in === 'drives') {
    const drives = await drivesOf(client, text)
    return drives.map(({id, name}) => ({
      name: `${printable(name)}/`,
      value: {go: {in: 'folder', id, name, driveId: id}},
    }))
  }
  const terms = [
    'trashed = false',
    ...(place.in === 'shared' ? ['sharedWithMe = true'] : []),
    // With a name the search goes through everything, from the top.
    ...(place.in === 'top' && text === undefined ? ["'root' in parents"] : []),
    ...(place.in === 'folder' ? [`${quoted(place.id)} in parents`] : []),
    ...(foldersOnly ? [`mimeType = ${quoted(FOLDER_TYPE)}`] : []),
    ...(text === undefined ? [] : [`title contains ${quoted(text)}`]),
  ]
  const driveId = place.in === 'folder' ? place.driveId : undefined
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
  const isEverywhere = place.in === 'top' && text !== undefined
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
  const {driveId} = record
  const inDrive = typeof driveId === 'string' ? {driveId} : {}
  return {go: {in: 'folder', id, name: titleOf(record), ...inDrive}}
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
    typeof modifiedDate === 'string' ? shortTime(modifiedDate) : '',
  ]
}
