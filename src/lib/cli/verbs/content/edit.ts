import {mkdir, mkdtemp, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {nonEmptyText} from '#lib/api/validate.js'
import type {Context} from '#lib/cli/context/context.js'
import type {PlannedRequest} from '#lib/cli/guard/curl.js'
import {chooseAt, readRemotePath, withExitCodes} from '#lib/cli/input/names/resolver.js'
import {createContentFolder} from '#lib/cli/plan-file/kept-content.js'
import type {Step, WorkStep} from '#lib/cli/run/plan.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import type {Client, Page} from '#lib/client/client.js'
import {ServiceError} from '#lib/client/errors.js'
import {readFileChunks} from '#lib/platform/open-file.js'
import {mimeTypeOf} from '#lib/transfer/local/names.js'
import {createRunningMd5} from '#lib/transfer/md5.js'
import {ALL_DRIVES, ENTRY_FIELDS, entryOf} from '#lib/transfer/remote/records.js'
import {resolveRemotePaths} from '#lib/transfer/remote/resolve.js'
import {followShortcut} from '#lib/transfer/remote/shortcuts.js'
import {entryKindText, type RemoteEntry} from '#lib/transfer/tree/entries.js'
import type {FileRecord, Upload, World} from '#lib/transfer/types.js'
import {safeFileName} from './download.js'
import {editorFor, openEditor} from './editor.js'
import {touchTimes} from './touch.js'

/** An edited file: an existing one with its state, or a new one in a folder. */
type Edited =
  | {readonly fileId: string; readonly title: string; readonly state: FileState}
  | {readonly parent: string; readonly title: string}

/** The state that shows whether somebody else changed a file: its ETag, and the identity of its content. */
export interface FileState {
  readonly etag?: string
  readonly md5?: string
  readonly revision?: string
  readonly size?: number
  readonly mimeType?: string
}

/** An edited file with its local copy. */
interface Draft {
  readonly original: string
  readonly edited: Edited
  readonly path: string
  /** MD5 of the local copy before editing; `undefined` for a new file. */
  readonly before?: string
}

const STATE_FIELDS = `${ENTRY_FIELDS},etag,headRevisionId,lastModifyingUserName`

/**
 * Downloads files, opens them in the user's editor, and returns the steps that upload the changed ones. With
 * `--dry-run`, opens no editor and treats all files as changed. With `--plan`, the local copies stay beside the
 * plan. Keeps the local copy of a file that cannot be uploaded.
 */
export async function planEdit(context: Context, words: readonly string[]): Promise<Step[]> {
  const {environment, io, options} = context
  const isInteractive = io.interactive
  const isPlan = options.plan !== undefined
  const isPreview = options.dryRun && !isPlan
  const line = isPreview ? '' : editorFor({environment, platform: process.platform, isInteractive})
  const found = await editedFiles(context, words)
  if (isPreview) return found.map(one => ('error' in one ? one : previewStep(one)))
  // Fail before the user edits a file that cannot be uploaded.
  const broken = found.find(one => 'error' in one)
  if (broken) throw broken.error
  const folder = isPlan
    ? await createContentFolder(context)
    : await mkdtemp(join(tmpdir(), 'drv-edit-'))
  const {journal: _, ...world} = await context.transfer()
  const drafts: Draft[] = []
  let left = 0
  const discard = async () => {
    left -= 1
    if (left <= 0) await rm(folder, {recursive: true, force: true})
  }
  try {
    for (const [index, one] of found.entries()) {
      if (!('error' in one)) drafts.push(await createDraft(world, join(folder, String(index)), one))
    }
    await openEditor(
      line,
      drafts.map(({path}) => path),
    )
  } catch (error) {
    await rm(folder, {recursive: true, force: true})
    throw error
  }
  left = drafts.length
  const steps: Step[] = []
  for (const draft of drafts) {
    const now = await md5Of(draft.path)
    const isEmptyNew = draft.before === undefined && now === EMPTY
    if (now !== draft.before && !isEmptyNew)
      steps.push(uploadStep(world, draft, {forget: discard, note: context.note}))
    else {
      context.note(`No changes to ${draft.original}.`)
      await discard()
    }
  }
  return steps
}

const EMPTY = 'd41d8cd98f00b204e9800998ecf8427e'

interface EditTarget {
  readonly original: string
  readonly edited: Edited
}

/** Resolves the arguments to existing files with content, and to new files in existing folders. */
async function editedFiles(
  context: Context,
  words: readonly string[],
): Promise<Array<EditTarget | {readonly original: string; readonly error: unknown}>> {
  const places = words.map(readRemotePath)
  const client = await context.client()
  const located = await resolveRemotePaths(client, places, chooseAt(context))
  return Promise.all(
    located.map(async (one, index) => {
      const original = words[index]!
      const target = touchTimes(places[index]!, one, true)
      if ('error' in target) return {original, error: target.error}
      if (!('fileId' in target))
        return {original, edited: target as Extract<Edited, {parent: string}>}
      const recordOf = async (fileId: string) => {
        const params = {fileId, ...ALL_DRIVES, fields: STATE_FIELDS}
        return (await client.call('files.get', {params})) ?? {}
      }
      const named = await recordOf(target.fileId)
      const fileId = await targetId(client, entryOf(named), original)
      const record = fileId === named.id ? named : await recordOf(fileId)
      const entry = entryOf(record)
      if (entry.kind === 'file') {
        return {original, edited: {fileId, title: entry.title, state: fileStateOf(record)}}
      }
      const message = `Cannot edit ${original}: it is ${entryKindText(entry)}, not a file with content.`
      const hint = entry.kind === 'folder' ? 'Pass a file in it.' : `Run \`drv open ${original}\`.`
      return {original, error: new UsageError(message, hint)}
    }),
  )
}

/** The ID of the target of a shortcut, or of the entry itself. */
async function targetId(client: Client, entry: RemoteEntry, word: string): Promise<string> {
  const {entry: target} = await withExitCodes(() => followShortcut(client, {entry}, word))
  return target.id
}

/** The state of a file from its record. Pure. */
export function fileStateOf({
  etag,
  md5Checksum,
  headRevisionId,
  fileSize,
  mimeType,
}: Page): FileState {
  return {
    etag: nonEmptyText(etag),
    md5: nonEmptyText(md5Checksum),
    revision: nonEmptyText(headRevisionId),
    size: fileSize === undefined ? undefined : Number(fileSize),
    mimeType: nonEmptyText(mimeType),
  }
}

/** Whether two states have the same content; metadata may differ. Pure. */
export function isSameContent(before: FileState, now: FileState): boolean {
  return before.md5 === now.md5 && before.revision === now.revision
}

/** Creates the local copy in a folder of its own, under the file's name so that editors detect its type. */
async function createDraft(
  world: World,
  folder: string,
  {original, edited}: EditTarget,
): Promise<Draft> {
  await mkdir(folder)
  const path = join(folder, safeFileName(edited.title))
  if (!('fileId' in edited)) {
    await writeFile(path, '')
    return {original, edited, path}
  }
  const {downloadFile} = await import('#lib/transfer/download.js')
  const {fileId, state} = edited
  const params = {fileId, ...ALL_DRIVES}
  const {md5, size} = state
  const content = {operation: 'files.get', params, path, overwrite: false, md5, size} as const
  const {md5: before} = await downloadFile(world, content)
  return {original, edited, path, before}
}

/** The step that uploads a draft; keeps the local copy if somebody else has changed the content. */
function uploadStep(
  world: World,
  draft: Draft,
  {forget: discard, note}: {forget: () => Promise<void>; note: Context['note']},
): WorkStep {
  const {original, edited, path} = draft
  return {
    original,
    preview: () => previewRequest(edited, path),
    async work() {
      try {
        const record = await upload(world, edited, path, original)
        await discard()
        return record
      } catch (error) {
        const kept = `Your version is saved in ${path}.`
        if (error instanceof CommandError) {
          throw new CommandError(error.exit, `${error.message} ${kept}`, error.hint)
        }
        note(kept)
        throw error
      }
    },
  }
}

/** Maximum number of uploads of one file, because each change of its metadata changes its ETag. */
const ATTEMPTS = 5

async function upload(
  world: World,
  edited: Edited,
  path: string,
  original: string,
): Promise<FileRecord> {
  const {uploadFile} = await import('#lib/transfer/upload.js')
  const source = {path}
  if (!('fileId' in edited)) {
    const mimeType = await mimeTypeOf(edited.title)
    return uploadFile(world, {operation: 'files.insert', ...inputOf(edited), source, mimeType})
  }
  const {state} = edited
  const {params} = inputOf(edited)
  const request: Upload = {operation: 'files.update', params, source, mimeType: state.mimeType}
  let ifMatch = state.etag
  for (let attempt = 1; ; attempt++) {
    try {
      return await uploadFile(world, {...request, ifMatch})
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status !== 412) throw error
      const request = {...params, fields: STATE_FIELDS}
      const record = (await world.client.call('files.get', {params: request})) ?? {}
      const now = fileStateOf(record)
      // A changed star or title does not affect the content, so the upload can be repeated.
      if (attempt === ATTEMPTS || !isSameContent(state, now))
        throw changedMeanwhile(original, record)
      ifMatch = now.etag
    }
  }
}

/** The parameters and metadata of the upload. */
function inputOf(edited: Edited) {
  if ('fileId' in edited) return {params: {fileId: edited.fileId, ...ALL_DRIVES}}
  return {params: ALL_DRIVES, body: {title: edited.title, parents: [{id: edited.parent}]}}
}

function changedMeanwhile(original: string, {id, lastModifyingUserName}: Page): CommandError {
  const who = nonEmptyText(lastModifyingUserName) ?? 'somebody'
  return new CommandError(
    'conflict',
    `Cannot save ${original}: ${who} changed it while you were editing.`,
    `Compare both versions, then upload yours with \`drv files update ${String(id)} PATH\`.`,
  )
}

/** The step that previews the upload of an edit. */
function previewStep({original, edited}: EditTarget): WorkStep {
  return {
    original,
    work: async () => undefined,
    preview: () => previewRequest(edited),
  }
}

/** The request of the upload, with the local copy if there is one. */
async function previewRequest(edited: Edited, path?: string): Promise<PlannedRequest> {
  const input = inputOf(edited)
  const isNew = !('fileId' in edited)
  const mimeType = isNew ? path && (await mimeTypeOf(edited.title)) : edited.state.mimeType
  const files = path === undefined ? {} : {content: {path, mimeType}}
  if (isNew) return ['files.insert', {...input, upload: {mimeType}}, files]
  return ['files.update', {...input, upload: {mimeType}, ifMatch: edited.state.etag}, files]
}

/** The MD5 of a local file in hexadecimal. Throws `CommandError` if the editor removed the file. */
async function md5Of(path: string): Promise<string> {
  const md5 = createRunningMd5()
  try {
    for await (const chunk of readFileChunks(path)) md5.update(chunk, md5.at)
  } catch {
    throw new CommandError('failed', `Cannot read ${path} after editing: nothing was uploaded.`)
  }
  return md5.digest()
}
