import {join} from 'node:path'
import {PassThrough} from 'node:stream'
import {nonEmptyText} from '#lib/api/validate.js'
import type {Context} from '#lib/cli/context/context.js'
import type {PlannedRequest} from '#lib/cli/guard/curl.js'
import {createResolver, readRemotePath, withExitCode} from '#lib/cli/input/names/resolver.js'
import type {CallStep, Step, WorkStep} from '#lib/cli/run/plan.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import type {Client, Page} from '#lib/client/client.js'
import {allRecords} from '#lib/client/pages.js'
import {endsAll} from '#lib/transfer/many/verdict.js'
import {isOfOneCall} from '#lib/transfer/remote/gather.js'
import {ALL_DRIVES} from '#lib/transfer/remote/records.js'
import type {Upload} from '#lib/transfer/types.js'

/** Plans that restore files and revisions, and that delete old revisions. */

/** The steps that restore files from the trash; a path is the former path of a file. Throws `UsageError`. */
export async function planRestore(context: Context, words: readonly string[]): Promise<Step[]> {
  const restoreStep = async (original: string, fileId: string): Promise<Step[]> => [
    {original, call: {id: 'files.untrash', input: {params: {fileId, ...ALL_DRIVES}}}},
  ]
  return eachFile(context, words, restoreStep, trashPath)
}

/** The trash path for a former path: `/a/b.txt` -> `trash:/a/b.txt`. Pure. */
export function trashPath(word: string): string {
  const {start, names, isContents} = readRemotePath(word)
  const isPath = (start.in === 'myDrive' || start.in === 'drive') && names.length > 0
  return isPath ? `trash:/${names.join('/')}${isContents ? '/' : ''}` : word
}

/** The steps that make the content of an older revision the newest. Throws `UsageError`. */
export async function planRevisions(
  context: Context,
  words: readonly string[],
  wanted: string,
): Promise<Step[]> {
  checkRevision(wanted)
  const client = await context.client()
  return eachFile(context, words, async (original, fileId) => {
    const revision = chosenRevision(await revisionsOf(client, fileId), wanted)
    if (!revision) {
      throw new CommandError(
        'notFound',
        `${original} has no revision ${wanted}.`,
        `To see its revisions, run \`drv revisions list ${original}\`.`,
      )
    }
    return [restoreStep(context, client, {original, fileId, revision})]
  })
}

interface Restoring extends Pick<Upload, 'ifMatch' | 'history'> {
  readonly fileId: string
  /** The record of the revision to restore. */
  readonly revision: Page
}

/** Makes the content of a revision the newest, by downloading it and uploading it again. Returns the file's record. */
export async function makeRevisionNewest(
  context: Context,
  {fileId, revision, ...rest}: Restoring,
): Promise<Page> {
  const {id, md5Checksum, mimeType, fileSize} = revision
  const params = {fileId, ...ALL_DRIVES}
  const [{downloadTo}, {uploadFile}, world] = await Promise.all([
    import('#lib/transfer/download.js'),
    import('#lib/transfer/upload.js'),
    context.transfer(),
  ])
  const stream = new PassThrough()
  const source = {
    operation: 'files.get',
    params: {...params, revisionId: String(id)},
    md5: nonEmptyText(md5Checksum),
    size: fileSize === undefined ? undefined : Number(fileSize),
  } as const
  const reading = downloadTo(world, source, stream).then(
    () => void stream.end(),
    (error: Error) => void stream.destroy(error),
  )
  const upload: Upload = {
    ...rest,
    operation: 'files.update',
    params,
    source: {stream},
    mimeType: nonEmptyText(mimeType),
  }
  const record = await uploadFile(world, upload).finally(() => stream.destroy())
  await reading
  return record
}

/** The step that downloads a revision and streams it to a new upload of the same file. */
function restoreStep(
  context: Context,
  client: Client,
  {original, fileId, revision}: {original: string; fileId: string; revision: Page},
): WorkStep {
  const params = {fileId, ...ALL_DRIVES}
  return {
    original,
    async work() {
      const record = await makeRevisionNewest(context, {fileId, revision})
      // The response of the upload lacks fields that the printer shows.
      return (await client.call('files.get', {params})) ?? record
    },
    preview: () => restoreRequest(context, fileId, revision),
  }
}

/** The request that makes a revision the newest, for a dry run; for a plan, with the downloaded content. */
export async function restoreRequest(
  context: Context,
  fileId: string,
  revision: Page,
): Promise<PlannedRequest> {
  const {mimeType, fileSize} = revision
  const type = nonEmptyText(mimeType)
  const size = fileSize === undefined ? undefined : Number(fileSize)
  const input = {params: {fileId, ...ALL_DRIVES}, upload: {size, mimeType: type}}
  if (context.options.plan === undefined) return ['files.update', input]
  const path = await saveRevision(context, fileId, revision)
  return ['files.update', input, {content: {path, mimeType: type}}]
}

/** Downloads the content of a revision for a plan, and returns its local path. */
async function saveRevision(
  context: Context,
  fileId: string,
  {id, md5Checksum, fileSize}: Page,
): Promise<string> {
  const [{downloadFile}, {createContentFolder}, {journal: _, ...world}] = await Promise.all([
    import('#lib/transfer/download.js'),
    import('#lib/cli/plan-file/kept-content.js'),
    context.transfer(),
  ])
  const {path} = await downloadFile(world, {
    operation: 'files.get',
    params: {fileId, ...ALL_DRIVES, revisionId: String(id)},
    path: join(await createContentFolder(context), fileId),
    overwrite: false,
    md5: nonEmptyText(md5Checksum),
    size: fileSize === undefined ? undefined : Number(fileSize),
  })
  return path
}

/** The steps that delete all but the newest `keep` revisions; pinned revisions are kept. Throws `UsageError`. */
export async function planPrune(
  context: Context,
  words: readonly string[],
  keep: number,
): Promise<Step[]> {
  const client = await context.client()
  return eachFile(context, words, async (original, fileId) =>
    prunedRevisions(await revisionsOf(client, fileId), keep).map(({id, modifiedDate}): CallStep => {
      const input = {params: {fileId, revisionId: String(id)}}
      const label = `${original}, revision ${String(id)}`
      const rowOf = () => ({file: original, id, modifiedDate})
      return {original, label, call: {id: 'revisions.delete', input}, rowOf}
    }),
  )
}

/** The revisions to delete so that `keep` remain, from a list with the oldest first. Pure. */
export function prunedRevisions(all: readonly Page[], keep: number): readonly Page[] {
  const loose = all.filter(({pinned}) => pinned !== true)
  return loose.slice(0, Math.max(0, loose.length - keep))
}

/** The value of `--keep`. Throws `UsageError`. */
export function keptCount(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text)
  throw new UsageError(`Invalid --keep: must be a positive integer, not "${text}".`)
}

/** Throws `UsageError` for an invalid value of `--revision`. */
export function checkRevision(wanted: string): void {
  if (/^[\w-]+$/.test(wanted) && wanted !== 'head') return
  if (/^head~[1-9]\d{0,5}$/.test(wanted)) return
  const isHead = wanted === 'head' || wanted === 'head~0'
  throw new UsageError(
    isHead
      ? `Invalid --revision: ${wanted} is the current content of the file.`
      : `Invalid --revision: "${wanted}" is not a number, head~N or a revision ID.`,
    'For the revision before the newest, use head~1.',
  )
}

/** Selects a revision by ID, `head~N`, or position (from 1), from a list with the oldest first. Pure. */
export function chosenRevision(all: readonly Page[], wanted: string): Page | undefined {
  const known = all.find(({id}) => id === wanted)
  if (known) return known
  const [, back] = /^head~(\d+)$/.exec(wanted) ?? []
  if (back !== undefined) return all[all.length - 1 - Number(back)]
  return /^[1-9]\d{0,5}$/.test(wanted) ? all[Number(wanted) - 1] : undefined
}

/** All revisions of a file, the oldest first. */
export function revisionsOf(client: Client, fileId: string): Promise<Page[]> {
  const fields = 'nextPageToken,items(id,modifiedDate,mimeType,fileSize,md5Checksum,pinned)'
  return allRecords(client, 'revisions.list', {params: {fileId, maxResults: '1000', fields}})
}

/** The steps for each argument, resolved together; an argument that fails becomes a failed step. */
async function eachFile(
  context: Context,
  words: readonly string[],
  plan: (original: string, fileId: string) => Promise<Step[]>,
  nameOf = (word: string) => word,
): Promise<Step[]> {
  const resolver = createResolver(context)
  const named = words.map(nameOf)
  await resolver.prefetch(named)
  const steps = await Promise.all(
    words.map(async (original, index): Promise<Step[]> => {
      try {
        return await plan(original, await resolver.file(named[index]!))
      } catch (error) {
        if (endsAll(error)) throw error
        if (!(error instanceof CommandError) && !isOfOneCall(error)) throw error
        return [{original, error: withExitCode(error)}]
      }
    }),
  )
  return steps.flat()
}
