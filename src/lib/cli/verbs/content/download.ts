import {resolve} from 'node:path'
import {setFlagsFromString} from 'node:v8'
import {Flags} from '@oclif/core'
import type {OperationId} from '#lib/api/operations.js'
import {textOf} from '#lib/api/validate.js'
import type {Context} from '#lib/cli/context/context.js'
import {tellSoFar} from '#lib/cli/context/progress-note.js'
import type {LocalEnds} from '#lib/cli/guard/curl.js'
import type {Values} from '#lib/cli/input/call-input.js'
import {limitedTransfer, limitRateFlag} from '#lib/cli/input/shared-flags.js'
import type {Row} from '#lib/cli/output/format.js'
import type {OperationOptions} from '#lib/cli/run/verb-description.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {brokenPipe} from '#lib/cli/terminal/io.js'
import {progressFlag, withProgress} from '#lib/cli/terminal/progress.js'
import type {CallInput, Client} from '#lib/client/client.js'
import {revisionFacts} from '#lib/transfer/remote/records.js'
import {byIfExists, chooseTarget, namesFile} from './target.js'

/**
 * What the commands that move content share: flags, names of files, summaries. How bytes are moved,
 * and what is remembered of it, belongs to `../../transfer`.
 */

export const receiveFlags = {
  force: Flags.boolean({summary: 'Replace a file that is there already.'}),
  ...limitRateFlag,
  ...progressFlag,
}

/** The flags of commands that show what is known of content, and can download it. */
export const downloadFlags = {
  output: Flags.string({
    char: 'o',
    aliases: ['download'],
    summary: 'Download the content: under its own name, to a path, or to standard output.',
    helpValue: '[PATH|-]',
  }),
  ...receiveFlags,
}

/** Throws `UsageError` for flags that do not go together; `about` names those that are about a download. */
export function checkDownload(flags: Values, ...about: readonly string[]): void {
  if (flags.output === undefined) {
    const name = about.find(flag => flags[flag])
    if (name !== undefined) throw new UsageError(`--${name} works only together with --output.`)
  } else if (flags.force && !['replace', undefined].includes(flags['if-exists'] as string)) {
    throw new UsageError('--force replaces a file, and --if-exists says otherwise.')
  } else if (flags.fields !== undefined) {
    throw new UsageError('--fields chooses metadata, and --output writes the content.')
  }
}

/** Prints what is told of content that was written to a file; of other answers what others print. */
export const printSaved: NonNullable<OperationOptions['print']> = async (
  answer,
  {flags},
  {printer},
  standard,
) => {
  if (flags.output === undefined) return standard(answer)
  if (answer) await printer.record(answer)
}

/** Bytes from which on it matters how they are moved. */
const MUCH = 32 * 1024 * 1024

export interface Receipt {
  readonly operation: OperationId
  readonly params: Readonly<Record<string, string | readonly string[]>>
  /** A path, '' for the current directory, `-` for standard output. */
  readonly to: string
  /** What the file is called where `to` names none; '' for a name of its own. */
  readonly title: string
  /** What the service tells of the content: `md5Checksum`, `fileSize`, `modifiedDate`. */
  readonly facts?: Readonly<Record<string, unknown>>
  /** `receiveFlags`, as they were given. */
  readonly flags: Values
}

/**
 * Takes a download in and says where it is, or where one is that stays as it is; nothing is said of
 * one to standard output.
 */
export async function receive(context: Context, receipt: Receipt): Promise<Row | undefined> {
  const {operation, params, to, title, facts = {}, flags} = receipt
  const [{downloadFile, downloadTo}, world] = await Promise.all([
    import('#lib/transfer/download.js'),
    limitedTransfer(context, flags['limit-rate']),
  ])
  const content = {operation, params, ...contentFacts(facts)}
  const label = title || String(params.fileId)
  return withProgress(context, {label, isWanted: Boolean(flags.progress)}, async show => {
    const isKept = to !== '-' && Boolean(world.journal)
    const onProgress = tellSoFar(context, {label, done: 'received', isKept}, show)
    // Chunks come and go so fast that V8 would look for garbage all the time, a quarter of the whole
    // processor time of 1 GiB.
    if ((content.size ?? 0) >= MUCH) setFlagsFromString('--no-incremental-marking')
    if (to !== '-') {
      const chosen = await chooseTarget(to, title, Boolean(flags.force))
      const target = byIfExists(chosen, flags, context.claims)
      if (!target) {
        context.note(`Left out: a file is there already. --if-exists replace replaces it.`)
        return {path: resolve(chosen.path), skipped: true}
      }
      const {afterwards} = context
      return {...(await downloadFile({...world, afterwards}, {...content, ...target, onProgress}))}
    }
    try {
      await downloadTo(world, {...content, onProgress}, context.io.stdout)
      return undefined
    } catch (error) {
      throw brokenPipe(error) ?? error
    }
  })
}

/** Where content that was asked for is to go, for whoever fetches it by other means. */
export async function outputAt(
  {output, force, curl}: Values,
  title: () => Promise<string>,
): Promise<LocalEnds> {
  if (!curl || output === undefined || output === '-') return {}
  const to = String(output)
  const isNamed = await namesFile(to)
  return {output: await chooseTarget(to, isNamed ? '' : await title(), Boolean(force))}
}

function contentFacts({md5Checksum, fileSize, modifiedDate}: Record<string, unknown>) {
  const modified = typeof modifiedDate === 'string' ? Date.parse(modifiedDate) : NaN
  return {
    md5: typeof md5Checksum === 'string' ? md5Checksum : undefined,
    size:
      typeof fileSize === 'string' && /^\d{1,15}$/.test(fileSize) ? Number(fileSize) : undefined,
    modified: Number.isNaN(modified) ? undefined : modified,
  }
}

/** The title of a file, and what is known of the content that `files.get` would give with these parameters. */
export async function fileFacts(client: Client, params: CallInput['params']) {
  const {revisionId, ...rest} = params
  const facts = await client.call('files.get', {
    params: {...rest, fields: 'title,md5Checksum,fileSize,modifiedDate'},
  })
  const title = textOf(facts?.title) ?? ''
  if (revisionId === undefined) return {title, facts}
  return {title, facts: await revisionFacts(client, String(params.fileId), String(revisionId))}
}
