import {parseFields} from '#lib/api/fields.js'
import {createsFile} from '#lib/api/operations.js'
import {EDITOR_TYPE_PREFIX, FOLDER_TYPE, SHORTCUT_TYPE} from '#lib/api/wire.js'
import type {PlannedRequest} from '#lib/cli/guard/curl.js'
import type {PlanLocalFile} from '#lib/cli/plan-file/format.js'
import {itemRequest} from '#lib/cli/plan-file/found-item.js'
import {readContent, rootFor} from '#lib/cli/plan-file/local-content.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import type {BatchCall, Client, Page} from '#lib/client/client.js'
import {isNotFound, ServiceError} from '#lib/client/errors.js'
import {reversalOf} from '#lib/history/reverse.js'
import {groupBy, mapLimited} from '#lib/platform/values.js'
import {idKindOf, reservedIds} from '#lib/transfer/ids.js'
import {endsAll} from '#lib/transfer/many/verdict.js'
import {gatherCalls} from '#lib/transfer/remote/gather.js'
import {previewOf, type Step} from './plan.js'

/** Completes steps for a plan file: requests, local content, the state of existing items, IDs of new ones. */

/** A step with its request, completed bit by bit. */
export interface Draft {
  readonly step: Step
  readonly request?: PlannedRequest
  readonly local?: PlanLocalFile
  /** The record of the item that it changes. */
  readonly found?: Page
  /** The fields that it changes as they are, for the history. */
  readonly before?: Page
  /** The step would fail. */
  readonly error?: unknown
}

/** Maximum number of files to read, and of requests to prepare, concurrently. */
const WIDTH = 8

/**
 * The steps with their requests; `saveInput` saves standard input to a file. Throws errors that concern the
 * whole command.
 */
export function draftsOf(
  steps: readonly Step[],
  saveInput: () => Promise<string>,
): Promise<Draft[]> {
  return mapLimited(steps, WIDTH, async (step): Promise<Draft> => {
    if ('error' in step) return {step, error: step.error}
    if ('isUnchanged' in step || 'here' in step) return {step}
    return attempt({step}, async () => {
      const request = await previewOf(step)
      const content = request?.[2]?.content
      if (content?.path !== '-') return {step, request}
      const saved = {content: {...content, path: await saveInput()}}
      return {step, request: [request![0], request![1], saved]}
    })
  })
}

/** The root for the local paths of drafts: that of the first one. */
export function rootOf(drafts: readonly Draft[]): string | undefined {
  for (const {request} of drafts) {
    const path = request?.[2]?.content?.path ?? request?.[2]?.output?.path
    if (path !== undefined) return rootFor(path)
  }
  return undefined
}

/** The same drafts with the size and MD5 of the content that they upload. */
export function withContents(
  drafts: readonly Draft[],
  root: string | undefined,
  signal: AbortSignal,
): Promise<Draft[]> {
  return mapLimited(drafts, WIDTH, async draft => {
    const content = draft.request?.[2]?.content
    if (!content) return draft
    return attempt(draft, async () => ({
      ...draft,
      local: await readContent(content, root ?? rootFor(content.path), signal),
    }))
  })
}

/** The same drafts with the records of the items that they change, except those that `isChanged` selects. */
export function withFoundItems(
  client: Client,
  drafts: readonly Draft[],
  isChanged: (item: BatchCall) => boolean,
): Promise<Draft[]> {
  const reads = gatherCalls(client)
  const readOf = ({id, input}: BatchCall) => reads.call(id, input)
  return Promise.all(
    drafts.map(async draft => {
      const {step, request} = draft
      if (!request || draft.error !== undefined) return draft
      const [id, {params, body = {}, ifMatch, history}, local] = request
      const item = itemRequest(id, params)
      if (item && isChanged(item)) return draft
      const isKnown = ifMatch !== undefined || local?.output?.md5 !== undefined
      const open = isKnown ? undefined : item
      const reversal = history?.before ? undefined : reversalOf(id)
      const state = reversal?.isBeforeOptional ? undefined : reversal?.before?.({params, body})
      try {
        const isOne = open !== undefined && open.id === state?.id
        const found = open && (isOne ? reads.call(...joined(open, state)) : readOf(open))
        const known = state && (isOne ? found : readOf(state).catch(() => undefined))
        const [record, before] = await Promise.all([found, known])
        return {
          ...draft,
          ...(record && {found: record}),
          ...(state && before && {before: selected(state, before)}),
        }
      } catch (error) {
        if (endsAll(error) || !(error instanceof ServiceError)) throw error
        // Without the right to read the item, the change itself may still be allowed.
        if (!isNotFound(error)) return draft
        // The step before it may create the item.
        return step.after ? draft : {...draft, error}
      }
    }),
  )
}

/** One request for the fields of two, of the same item. */
function joined({id, input}: BatchCall, other: BatchCall): [BatchCall['id'], BatchCall['input']] {
  const fields = [input, other.input].map(({params}) => params.fields)
  const params = {...input.params, ...other.input.params}
  const isWhole = fields.includes(undefined)
  return [id, {params: isWhole ? input.params : {...params, fields: fields.join(',')}}]
}

/** The fields of a record that a request selects, without those that are no part of the state. */
function selected({input: {params}}: BatchCall, record: Page): Page {
  const names = Object.keys(typeof params.fields === 'string' ? parseFields(params.fields) : record)
  const isState = (name: string) => !['id', 'etag'].includes(name) && record[name] !== undefined
  return Object.fromEntries(names.filter(isState).map(name => [name, record[name]]))
}

/** The same drafts with IDs for the new files that can have one, reserved with one request for each kind. */
export async function withNewIds(client: Client, drafts: readonly Draft[]): Promise<Draft[]> {
  const kindOf = ({request, found = {}, error}: Draft): string | undefined => {
    if (!request || error !== undefined || !createsFile(request[0])) return undefined
    const [, {params, body}] = request
    if (body?.id !== undefined) return undefined
    // Only the service assigns the IDs of documents, and of their copies.
    const kind = idKindOf({params, body: {...(isDocument(found) && found), ...body}})
    return kind && JSON.stringify(kind)
  }
  const ids = new Map<Draft, string>()
  const open = drafts.filter(draft => kindOf(draft) !== undefined)
  for (const [kind, some] of groupBy(open, draft => kindOf(draft)!)) {
    const reserved = await reservedIds(client, some.length, JSON.parse(kind))
    for (const [index, id] of (reserved ?? []).entries()) ids.set(some[index]!, id)
  }
  return drafts.map(draft => {
    const id = ids.get(draft)
    if (id === undefined) return draft
    const [operation, input, local] = draft.request!
    return {...draft, request: [operation, {...input, body: {...input.body, id}}, local]}
  })
}

function isDocument({mimeType = ''}: Page): boolean {
  const type = String(mimeType)
  return type.startsWith(EDITOR_TYPE_PREFIX) && type !== FOLDER_TYPE && type !== SHORTCUT_TYPE
}

/** Runs work that concerns one step; its error becomes the error of the draft. */
async function attempt(draft: Draft, work: () => Promise<Draft>): Promise<Draft> {
  try {
    return await work()
  } catch (error) {
    // A mistake on the command line concerns the whole plan.
    if (endsAll(error) || error instanceof UsageError) throw error
    return {...draft, error}
  }
}
