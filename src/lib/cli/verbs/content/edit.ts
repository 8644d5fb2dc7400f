import {mkdir, mkdtemp, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {textOf} from '#lib/api/validate.js'
import type {Context} from '#lib/cli/context/context.js'
import {chooseAt, readRemotePath, withExitCodes} from '#lib/cli/input/names/resolver.js'
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
import {type RemoteEntry, wordFor} from '#lib/transfer/tree/entries.js'
import type {FileRecord, Upload, World} from '#lib/transfer/types.js'
import {safeFileName} from './download.js'
import {editorFor, openEditor} from './editor.js'
import {touchOf} from './touch.js'

/** What is edited: a file with what tells its state, or a new one in a folder. */
type Edited =
  | {readonly fileId: string; readonly title: string; readonly state: FileState}
  | {readonly parent: string; readonly title: string}

/** What tells whether somebody else changed a file: its tag, and what says the same of its content. */
export interface FileState {
  readonly etag?: string
  readonly md5?: string
  readonly revision?: string
  readonly size?: number
  readonly mimeType?: string
}

/** Something that is edited, and where it is on this machine. */
interface Draft {
  readonly original: string
  readonly edited: Edited
  readonly path: string
  /** MD5 of what the editor was given; nothing for a new file. */
  readonly before?: string
}

const STATE_FIELDS = `${ENTRY_FIELDS},etag,headRevisionId,lastModifyingUserName`

/**
 * Downloads files, opens them in the editor of the person, and gives the steps that upload those that
 * were changed. With `--dry-run` no editor is opened, and all of them count as changed. What cannot be
 * uploaded stays on this machine.
 */
export async function planEdit(context: Context, words: readonly string[]): Promise<Step[]> {
  const {environment, io, options} = context
  const isInteractive = io.interactive
  const line = options.dryRun
    ? ''
    : editorFor({environment, platform: process.platform, isInteractive})
  const found = await editedFiles(context, words)
  if (options.dryRun) return found.map(one => ('error' in one ? one : previewing(one)))
  // Nobody wants to write a text that has nowhere to go.
  const broken = found.find(one => 'error' in one)
  if (broken) throw broken.error
  const folder = await mkdtemp(join(tmpdir(), 'drv-edit-'))
  const {journal: _, ...world} = await context.transfer()
  const drafts: Draft[] = []
  let left = 0
  const forget = async () => {
    left -= 1
    if (left <= 0) await rm(folder, {recursive: true, force: true})
  }
  try {
    for (const [index, one] of found.entries()) {
      if (!('error' in one)) drafts.push(await drafted(world, join(folder, String(index)), one))
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
      steps.push(uploading(world, draft, {forget, note: context.note}))
    else {
      context.note(`No changes to ${draft.original}.`)
      await forget()
    }
  }
  return steps
}

const EMPTY = 'd41d8cd98f00b204e9800998ecf8427e'

interface Wanted {
  readonly original: string
  readonly edited: Edited
}

/** What the words name: files with content of their own, and new ones where there is a folder. */
async function editedFiles(
  context: Context,
  words: readonly string[],
): Promise<Array<Wanted | {readonly original: string; readonly error: unknown}>> {
  const places = words.map(readRemotePath)
  const client = await context.client()
  const located = await resolveRemotePaths(client, places, chooseAt(context))
  return Promise.all(
    located.map(async (one, index) => {
      const original = words[index]!
      const target = touchOf(places[index]!, one, true)
      if ('error' in target) return {original, error: target.error}
      if (!('fileId' in target))
        return {original, edited: target as Extract<Edited, {parent: string}>}
      const recordOf = async (fileId: string) => {
        const params = {fileId, ...ALL_DRIVES, fields: STATE_FIELDS}
        return (await client.call('files.get', {params})) ?? {}
      }
      const named = await recordOf(target.fileId)
      const fileId = await idBehind(client, entryOf(named), original)
      const record = fileId === named.id ? named : await recordOf(fileId)
      const entry = entryOf(record)
      if (entry.kind === 'file') {
        return {original, edited: {fileId, title: entry.title, state: stateOf(record)}}
      }
      const message = `Cannot edit ${original}: it is ${wordFor(entry)}, not a file with content.`
      const hint = entry.kind === 'folder' ? 'Name a file in it.' : `Run \`drv open ${original}\`.`
      return {original, error: new UsageError(message, hint)}
    }),
  )
}

/** The ID of what a shortcut leads to, of anything else its own. */
async function idBehind(client: Client, entry: RemoteEntry, word: string): Promise<string> {
  const {entry: led} = await withExitCodes(() => followShortcut(client, {entry}, word))
  return led.id
}

/** What a record tells of the state of a file. Pure. */
export function stateOf({etag, md5Checksum, headRevisionId, fileSize, mimeType}: Page): FileState {
  return {
    etag: textOf(etag),
    md5: textOf(md5Checksum),
    revision: textOf(headRevisionId),
    size: fileSize === undefined ? undefined : Number(fileSize),
    mimeType: textOf(mimeType),
  }
}

/** Whether the content is the one that was read, whatever else has changed. Pure. */
export function isSameContent(before: FileState, now: FileState): boolean {
  return before.md5 === now.md5 && before.revision === now.revision
}

/** Writes what is to be edited into a folder of its own, under the name that editors know it by. */
async function drafted(world: World, folder: string, {original, edited}: Wanted): Promise<Draft> {
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

/** Uploads a draft, unless somebody else changed the content meanwhile; then it stays where it is. */
function uploading(
  world: World,
  draft: Draft,
  {forget, note}: {forget: () => Promise<void>; note: Context['note']},
): WorkStep {
  const {original, edited, path} = draft
  return {
    original,
    async work() {
      try {
        const record = await upload(world, edited, path, original)
        await forget()
        return record
      } catch (error) {
        const kept = `Your text is kept in ${path}.`
        if (error instanceof CommandError) {
          throw new CommandError(error.exit, `${error.message} ${kept}`, error.hint)
        }
        note(kept)
        throw error
      }
    },
  }
}

/** A file that gets many changes of its metadata may have another tag each time. */
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
      const asked = {...params, fields: STATE_FIELDS}
      const record = (await world.client.call('files.get', {params: asked})) ?? {}
      const now = stateOf(record)
      // A star or another title is no other content.
      if (attempt === ATTEMPTS || !isSameContent(state, now))
        throw changedMeanwhile(original, record)
      ifMatch = now.etag
    }
  }
}

/** The parameters and the metadata of the upload. */
function inputOf(edited: Edited) {
  if ('fileId' in edited) return {params: {fileId: edited.fileId, ...ALL_DRIVES}}
  return {params: ALL_DRIVES, body: {title: edited.title, parents: [{id: edited.parent}]}}
}

function changedMeanwhile(original: string, {id, lastModifyingUserName}: Page): CommandError {
  const who = textOf(lastModifyingUserName) ?? 'somebody'
  return new CommandError(
    'conflict',
    `${original} was changed by ${who} while you edited it.`,
    `Compare both, then upload yours with \`drv files update ${String(id)} PATH\`.`,
  )
}

/** The upload that an edit would end with. */
function previewing({original, edited}: Wanted): WorkStep {
  return {
    original,
    work: async () => undefined,
    async preview() {
      const input = inputOf(edited)
      if (!('fileId' in edited)) return ['files.insert', {...input, upload: {}}]
      const {mimeType, etag: ifMatch} = edited.state
      return ['files.update', {...input, upload: {mimeType}, ifMatch}]
    },
  }
}

/** MD5 of a local file in hexadecimal. Throws `CommandError` where the editor left none. */
async function md5Of(path: string): Promise<string> {
  const md5 = createRunningMd5()
  try {
    for await (const chunk of readFileChunks(path)) md5.update(chunk, md5.at)
  } catch {
    throw new CommandError('failed', `The editor left no file ${path}; nothing was uploaded.`)
  }
  return md5.digest()
}
