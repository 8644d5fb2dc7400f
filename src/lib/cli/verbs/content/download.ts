import {existsSync} from 'node:fs'
import {stat} from 'node:fs/promises'
import {basename, dirname, join, resolve} from 'node:path'
import {setFlagsFromString} from 'node:v8'
import {Flags} from '@oclif/core'
import type {OperationId} from '#lib/api/operations.js'
import {textOf} from '#lib/api/validate.js'
import type {Claims, Context} from '#lib/cli/context/context.js'
import {tellSoFar} from '#lib/cli/explain/interruption.js'
import type {LocalFiles} from '#lib/cli/guard/curl.js'
import type {Values} from '#lib/cli/input/call-input.js'
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
  output: ranked(
    5,
    Flags.string({
      char: 'o',
      aliases: ['download'],
      summary: 'Download the content: under its own name, to a path, or to standard output.',
      helpValue: '[PATH|-]',
    }),
  ),
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

/** Where a download goes. */
export interface Target {
  readonly path: string
  /** A file of that name may be replaced: the person named it, or said `--force`. */
  readonly overwrite: boolean
}

/**
 * Where a file with that title goes: `given` as it is when it names a file; inside it when it is a
 * directory; in the current directory without it. A name made from a title never replaces a file
 * unless `force` is set.
 */
export async function chooseTarget(given: string, title: string, force: boolean): Promise<Target> {
  if (await namesFile(given)) return {path: given, overwrite: true}
  return {path: join(given, safeFileName(title)), overwrite: force}
}

/**
 * The target as `--if-exists` will have it; `undefined` where what is there stays, and all is well.
 * Throws `CommandError('conflict')` where another file of the same command goes there.
 */
export function byIfExists(
  {path, overwrite}: Target,
  flags: Values,
  claims: Claims = new Set(),
): Target | undefined {
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
      `Another of these files goes to ${path}; --if-exists rename gives each a name of its own.`,
    )
  }
  // Where a file is there, the download refuses: it may be gone, or another may come, until then.
  const chosen = 'conflict' in resolution ? path : resolution.title
  claims.add(chosen)
  return {path: chosen, overwrite: choice === 'replace'}
}

/** Whether it is the name of a file, rather than where one of any name goes. */
export async function namesFile(given: string): Promise<boolean> {
  return given !== '' && !/[/\\]$/.test(given) && !(await isDirectory(given))
}

async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false
}

/** Most file systems allow 255 bytes; some are left for the ending of a temporary name. */
const MOST_BYTES = 200

/**
 * A title from the service as the name of a file in the current directory, and nothing else: no
 * path, no device, no hidden file, never empty.
 */
export function safeFileName(title: string): string {
  const clean = cleanName(title, true)
    .replace(/^[.\s~-]+/, '')
    .replace(/[.\s]+$/, '')
  if (clean === '') return 'download'
  return shorten(isDevice(clean) ? `_${clean}` : clean, MOST_BYTES)
}

/** The title an uploaded file gets: its own name. */
export function titleOf(path: string): string {
  return basename(path)
}
