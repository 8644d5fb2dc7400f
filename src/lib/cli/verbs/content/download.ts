import {existsSync} from 'node:fs'
import {stat} from 'node:fs/promises'
import {basename, dirname, join, resolve} from 'node:path'
import {setFlagsFromString} from 'node:v8'
import {Flags} from '@oclif/core'
import type {OperationId} from '#lib/api/operations.js'
import {nonEmptyText} from '#lib/api/validate.js'
import type {ClaimedPaths, Context} from '#lib/cli/context/context.js'
import {printSoFar} from '#lib/cli/explain/interruption.js'
import type {LocalFiles} from '#lib/cli/guard/curl.js'
import type {FlagValues} from '#lib/cli/input/call-input.js'
import {ifExistsOf, limitedTransfer, limitRateFlag} from '#lib/cli/input/shared-flags.js'
import type {Row} from '#lib/cli/output/format.js'
import type {OperationOptions} from '#lib/cli/run/verb-description.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import {brokenPipe} from '#lib/cli/terminal/io.js'
import {progressFlag, withProgress} from '#lib/cli/terminal/progress.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'
import type {CallInput, Client} from '#lib/client/client.js'
import {cleanName, isDevice} from '#lib/transfer/local/encode-name.js'
import {freeName, shorten} from '#lib/transfer/local/names.js'
import {revisionFacts} from '#lib/transfer/remote/records.js'
import {resolveConflict} from '#lib/transfer/resolve-conflict.js'

/** Flags, file names and results shared by commands that download. Transfers and the journal: `lib/transfer`. */

export const receiveFlags = {
  force: Flags.boolean({summary: 'Replace an existing file.'}),
  ...limitRateFlag,
  ...progressFlag,
}

/** The flags of commands that show metadata and can download the content, by default to a file with `name`. */
export function downloadFlags(name: string) {
  return {
    output: ranked(
      5,
      Flags.string({
        char: 'o',
        aliases: ['download'],
        summary: `Download the content to a path or to standard output (default: ${name}).`,
        helpValue: '[PATH|-]',
      }),
    ),
    ...receiveFlags,
  }
}

/** Throws `UsageError` for flags that cannot be combined; `about` are the flags that require `--output`. */
export function checkDownload(flags: FlagValues, ...about: readonly string[]): void {
  if (flags.output === undefined) {
    const name = about.find(flag => flags[flag])
    if (name !== undefined) throw new UsageError(`--${name} requires --output.`)
  } else if (flags.force && !['replace', undefined].includes(flags['if-exists'] as string)) {
    throw new UsageError(
      `--force and --if-exists ${String(flags['if-exists'])} cannot be combined.`,
      'Remove one of them.',
    )
  } else if (flags.fields !== undefined) {
    throw new UsageError(
      '--fields and --output cannot be combined: --fields selects metadata, --output downloads content.',
      'Remove one of them.',
    )
  }
}

/** Prints the result of a download to a file; for other responses, prints the standard output. */
export const printSaved: NonNullable<OperationOptions['print']> = async (
  answer,
  {flags},
  {printer},
  standard,
) => {
  if (flags.output === undefined) return standard(answer)
  if (answer) await printer.record(answer)
}

/** Size in bytes from which on V8 is tuned for large transfers. */
const LARGE = 32 * 1024 * 1024

export interface Receipt {
  readonly operation: OperationId
  readonly params: Readonly<Record<string, string | readonly string[]>>
  /** A path, '' for the current directory, `-` for standard output. */
  readonly to: string
  /** The file name if `to` is a directory; '' if `to` includes the name. */
  readonly title: string
  /** Metadata of the content: `md5Checksum`, `fileSize`, `modifiedDate`. */
  readonly facts?: Readonly<Record<string, unknown>>
  /** The values of `receiveFlags`. */
  readonly flags: FlagValues
}

/**
 * Downloads content. Returns the path of the new or the kept file; `undefined` for standard output.
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
    const onProgress = printSoFar(context, {label, done: 'received', isKept}, show)
    // Otherwise, V8 marks garbage all the time, which takes a quarter of the CPU time of a 1 GiB download.
    if ((content.size ?? 0) >= LARGE) setFlagsFromString('--no-incremental-marking')
    if (to !== '-') {
      const chosen = await chooseTarget(to, title, Boolean(flags.force))
      const target = applyIfExists(chosen, flags, context.claims)
      if (!target) {
        context.note(
          `Skipped ${chosen.path}: the file already exists. Pass --if-exists replace to replace it.`,
        )
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

/** The local end of a download, for the curl line of a dry run. */
export async function outputAt(
  {output, force, curl}: FlagValues,
  title: () => Promise<string>,
): Promise<LocalFiles> {
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

/** The title of a file, and the metadata of the content that `files.get` returns with these parameters. */
export async function fileFacts(client: Client, params: CallInput['params']) {
  const {revisionId, ...rest} = params
  const facts = await client.call('files.get', {
    params: {...rest, fields: 'title,md5Checksum,fileSize,modifiedDate'},
  })
  const title = nonEmptyText(facts?.title) ?? ''
  if (revisionId === undefined) return {title, facts}
  return {title, facts: await revisionFacts(client, String(params.fileId), String(revisionId))}
}

/** The destination of a download. */
export interface DownloadTarget {
  readonly path: string
  /** Whether an existing file may be replaced, because the user named it or passed `--force`. */
  readonly overwrite: boolean
}

/**
 * The destination of a file with that title: `output` itself if it names a file, else a file in the directory
 * `output` (default: the current one). A name made from a title replaces a file only with `force`.
 */
export async function chooseTarget(
  output: string,
  title: string,
  force: boolean,
): Promise<DownloadTarget> {
  if (await namesFile(output)) return {path: output, overwrite: true}
  return {path: join(output, safeFileName(title)), overwrite: force}
}

/**
 * The target after applying `--if-exists`; `undefined` if the existing file is kept. Throws
 * `CommandError('conflict')` if another file of the same command has the same target.
 */
export function applyIfExists(
  {path, overwrite}: DownloadTarget,
  flags: FlagValues,
  claims: ClaimedPaths = new Set(),
): DownloadTarget | undefined {
  const choice = ifExistsOf(flags) ?? (overwrite ? 'replace' : 'fail')
  const isTaken = (other: string) => existsSync(other) || claims.has(other)
  const resolution = resolveConflict(choice, {
    title: path,
    existing: isTaken(path) ? [{kind: 'file'}] : [],
    claimed: claims.has(path),
    freeName() {
      const folder = dirname(path)
      return join(
        folder,
        freeName(basename(path), name => isTaken(join(folder, name))),
      )
    },
  })
  if ('kept' in resolution) return undefined
  if ('conflict' in resolution && resolution.conflict === 'claimed') {
    throw new CommandError(
      'conflict',
      `Cannot save to ${path}: this command already saves another file there.`,
      'Pass --if-exists rename to number the files.',
    )
  }
  // The download itself rejects an existing file, because files can appear or disappear until then.
  const chosen = 'conflict' in resolution ? path : resolution.title
  claims.add(chosen)
  return {path: chosen, overwrite: choice === 'replace'}
}

/** Whether a local path names a file rather than a directory. */
export async function namesFile(path: string): Promise<boolean> {
  return path !== '' && !/[/\\]$/.test(path) && !(await isDirectory(path))
}

async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false
}

/** Maximum length of a name in bytes: most file systems allow 255, and temporary names need a suffix. */
const MAX_NAME_BYTES = 200

/** A title as a safe local file name: not a path, not a device, not hidden, and not empty. */
export function safeFileName(title: string): string {
  const clean = cleanName(title, true)
    .replace(/^[.\s~-]+/, '')
    .replace(/[.\s]+$/, '')
  if (clean === '') return 'download'
  return shorten(isDevice(clean) ? `_${clean}` : clean, MAX_NAME_BYTES)
}

/** The title of an uploaded file: the last part of its local path. */
export function titleOf(path: string): string {
  return basename(path)
}
