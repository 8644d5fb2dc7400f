import {createsFile, operation} from '#lib/api/operations.js'
import {nonEmptyText} from '#lib/api/validate.js'
import type {PlanStep} from '#lib/cli/plan-file/format.js'
import {itemRequest} from '#lib/cli/plan-file/found-item.js'
import type {BatchCall, Client, Page} from '#lib/client/client.js'
import {isIdTaken, isNotFound, ServiceError} from '#lib/client/errors.js'
import {recordsOf} from '#lib/client/pages.js'
import {TransferError} from '#lib/transfer/errors.js'
import {isOfOneCall} from '#lib/transfer/remote/gather.js'
import {createPaths} from '#lib/transfer/remote/paths.js'
import {ALL_DRIVES, searchParameters} from '#lib/transfer/remote/records.js'
import {isAsFound, isDone, judgeStep, type Verdict} from './judge-step.js'

/** Reads the items of steps, to compare them with the plan. */

/** The request for the whole record of the item that a step changes; `undefined` for a new item. */
function wholeItem({operation: id, params = {}}: PlanStep): BatchCall | undefined {
  const item = id && itemRequest(id, params)
  if (!item) return undefined
  const {fields: _, ...named} = item.input.params
  return {id: item.id, input: {params: named}}
}

/** The record of a request; `undefined` if it does not exist. Throws other errors. */
async function recordFor(client: Client, {id, input}: BatchCall): Promise<Page | undefined> {
  try {
    return await client.call(id, input)
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

/** Whether an error shows that something has changed since the plan was made. */
export function isChangeRefused(error: unknown): boolean {
  if (error instanceof TransferError) return error.kind === 'conflict' || error.kind === 'content'
  if (!(error instanceof ServiceError)) return false
  // The file is no longer in the old folder of a move, or already in the new one.
  const isMove = ['addParents', 'removeParents'].includes(String(error.details.location))
  return error.status === 412 || isNotFound(error) || isIdTaken(error) || isMove
}

/** What to do with a step that was refused because something changed. Throws the error if nothing did. */
export async function examineRefused(
  client: Client,
  step: PlanStep,
  error: unknown,
): Promise<Verdict> {
  const {operation: id = '', body} = step
  if (createsFile(id)) {
    const newId = nonEmptyText(body?.id)
    if (isIdTaken(error) && newId !== undefined) {
      const params = {fileId: newId, ...ALL_DRIVES}
      const record = await recordFor(client, {id: 'files.get', input: {params}})
      return isDone(step, record)
        ? 'done'
        : {conflict: 'another item has the ID that the plan reserved'}
    }
    if (isNotFound(error) && id === 'files.insert') {
      return {conflict: 'its folder no longer exists'}
    }
  }
  const item = wholeItem(step)
  if (!item) {
    const isGone = isNotFound(error)
    if (isGone && step.operation && operation(step.operation).httpMethod === 'DELETE') return 'done'
    return {
      conflict: isGone ? 'the item no longer exists' : 'the item changed after the plan was made',
    }
  }
  const record = await recordFor(client, item)
  const {md5} = step.output ?? {}
  // The item is as it was, so the content was damaged on the way.
  if (md5 !== undefined && record?.md5Checksum === md5) throw error
  const verdict =
    id === 'files.copy'
      ? judgeStep({...step, operation: undefined}, record)
      : judgeStep(step, record)
  if (typeof verdict === 'string' || !record || item.id !== 'files.get') return verdict
  return {conflict: `${verdict.conflict}${await newPlace(client, step, record)}`}
}

/** The new path of a moved or renamed file, as the end of a reason; '' if it is the planned one. */
async function newPlace(client: Client, {path}: PlanStep, record: Page): Promise<string> {
  const isKnown = path !== undefined && /^(\/|drive:)/.test(path)
  if (!isKnown) return ''
  const [now] = await createPaths(client)
    .of([record])
    .catch(() => [])
  if (now?.startsWith('trash:')) return ''
  return now === undefined || now === path.replace(/(?<=.)\/+$/, '') ? '' : ` (it is now ${now})`
}

/**
 * Compares the items of steps with the plan, with their reads sent together; without `isAll`, only those that
 * the service cannot compare by their ETag when it gets the request.
 */
export async function examineItems(
  reads: Client,
  steps: readonly PlanStep[],
  isAll = false,
): Promise<Verdict[]> {
  return Promise.all(
    steps.map(async (step): Promise<Verdict> => {
      const {etag, found, output} = step
      // A download is compared by MD5, if that is known.
      const isUnchecked = isAll || (output !== undefined && output.md5 === undefined)
      const isOpen = found !== undefined || (isUnchecked && etag !== undefined)
      const item = isOpen ? wholeItem(step) : undefined
      if (!item) return 'open'
      try {
        const record = await recordFor(reads, item)
        return isAsFound(step, record) ? 'open' : judgeStep(step, record)
      } catch (error) {
        // Without the right to read it, the change itself may still be allowed.
        if (error instanceof ServiceError && isOfOneCall(error)) return 'open'
        throw error
      }
    }),
  )
}

/** The records of the items of steps, with their reads sent together; `undefined` for items that do not exist. */
export function readPlanItems(
  reads: Client,
  steps: readonly PlanStep[],
): Promise<Array<Page | undefined>> {
  return Promise.all(
    steps.map(async step => {
      const item = wholeItem(step)
      return item && recordFor(reads, item)
    }),
  )
}

/** Whether a step creates a file whose ID only the service assigns, so that a second run would make another one. */
export function isUnrepeatable({operation: id, body}: PlanStep): boolean {
  return id !== undefined && createsFile(id) && nonEmptyText(body?.id) === undefined
}

/** Looks for the file that an earlier run may have created; `time` is when the plan was made. */
export async function examineBegun(
  client: Client,
  {body = {}}: PlanStep,
  time: string,
): Promise<Verdict> {
  const conflict = 'an earlier run may have created the item already'
  const [parent = {id: 'root'}] = Array.isArray(body.parents) ? (body.parents as Page[]) : []
  if (typeof body.title !== 'string') return {conflict}
  const search = {folderIds: [String(parent.id)], titles: [body.title]}
  const params = {...searchParameters(search), fields: 'items(createdDate)'}
  const page = await client.call('files.list', {params})
  const isLater = ({createdDate}: Page) => Date.parse(String(createdDate)) >= Date.parse(time)
  return recordsOf(page ?? {}).some(isLater) ? {conflict} : 'open'
}
