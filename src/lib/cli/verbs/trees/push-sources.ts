import {statSync} from 'node:fs'
import {dirname, resolve, sep} from 'node:path'
import type {Context} from '#lib/cli/context/context.js'
import {unreadableFileError} from '#lib/cli/explain/unreadable.js'
import {readRemotePath} from '#lib/cli/input/names/resolver.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {waitForInput} from '#lib/cli/terminal/io.js'
import {isCaseSensitive, mimeTypeOf, type NameRules} from '#lib/transfer/local/names.js'
import {anyRule, createRules, type GivenRules, type IgnoreRules} from '#lib/transfer/local/rules.js'
import {localSources} from '#lib/transfer/local/sources.js'
import type {RemotePath} from '#lib/transfer/remote/remote-path.js'
import type {LocalFile, LocalFolder} from '#lib/transfer/tree/entries.js'
import type {PushStep} from '#lib/transfer/tree/steps.js'
import type {World} from '#lib/transfer/types.js'

/** The remote path to upload to. Throws `UsageError` for the trash. */
export function uploadPath(remote: string): RemotePath {
  const path = readRemotePath(remote)
  if (path.start.in !== 'trash') return path
  throw new UsageError('Cannot upload to the trash.', 'Use a folder outside the trash as REMOTE.')
}

/** The local files and folders of a push, with their exclude rules. */
export interface PushSources {
  readonly local: LocalFolder
  readonly rules: IgnoreRules
  /** A single source file, which can get a new name; `-` for standard input. */
  readonly single?: LocalFile
}

/** Resolves the LOCAL arguments. Throws `UsageError` for standard input together with other sources. */
export async function readSources(
  context: Context,
  paths: readonly string[],
  rules: GivenRules,
): Promise<PushSources> {
  if (!paths.includes('-')) {
    const read = await readPaths(paths, rules)
    const {entries} = read.local
    const [entry] = entries
    const isSingle = paths.length === 1 && read.local.isPartial && entry?.kind === 'file'
    return {...read, ...(isSingle && {single: entry})}
  }
  if (paths.length > 1) {
    throw new UsageError(
      'Cannot combine - (standard input) with other files.',
      'Pass - alone. For a file named -, use ./-.',
    )
  }
  const single = standardInput(context)
  const local = {kind: 'folder', name: '', path: '', entries: [single], isPartial: true} as const
  return {local, rules: anyRule([]), single}
}

function standardInput(context: Context): LocalFile {
  const stream = () => ({stream: context.io.stdin, wait: waitForInput(context)})
  return {kind: 'file', name: '-', path: '-', size: 0, modified: context.now(), stream}
}

/** The same folder, with its only file under another name. */
export function withName(local: LocalFolder, single: LocalFile, name: string): LocalFolder {
  return {...local, entries: [{...single, name, title: name}]}
}

async function readPaths(
  paths: readonly string[],
  {exclude, include}: GivenRules,
): Promise<{readonly local: LocalFolder; readonly rules: IgnoreRules}> {
  const all: IgnoreRules[] = []
  const rulesFor = (path: string, at: readonly string[]) => {
    const rules = createRules({path, at, exclude, include})
    all.push(rules)
    return rules
  }
  try {
    return {local: await localSources(paths, rulesFor), rules: anyRule(all)}
  } catch (error) {
    const {code, path = ''} = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    throw unreadableFileError(path, error)
  }
}

/** The rules for local names; case-sensitive only if all paths are on case-sensitive file systems. */
export async function nameRulesOf(paths: readonly string[]): Promise<NameRules> {
  const {platform} = process
  const all = await Promise.all(paths.map(path => isCaseSensitive(resolve(path), platform)))
  return {isWindows: platform === 'win32', isCaseSensitive: all.every(Boolean)}
}

/** The media types that the service can convert to editor documents. */
export async function convertibleTypes({client}: Pick<World, 'client'>): Promise<Set<unknown>> {
  const {importFormats} =
    (await client.call('about.get', {params: {fields: 'importFormats'}})) ?? {}
  const formats = Array.isArray(importFormats) ? (importFormats as Array<{source?: unknown}>) : []
  return new Set(formats.map(({source}) => source))
}

/** The same steps, with `isConverted` set on uploads of these media types. */
export function withConversions(
  steps: readonly PushStep[],
  types: ReadonlySet<unknown>,
): Promise<PushStep[]> {
  return Promise.all(
    steps.map(async step =>
      step.action === 'upload' && types.has(await mimeTypeOf(step.name))
        ? {...step, isConverted: true}
        : step,
    ),
  )
}

/** The folder that contains all of some local paths: a single folder itself, otherwise the one above them. */
export function commonFolder(paths: readonly string[]): string {
  const folders = paths.map(path => {
    const whole = resolve(path)
    return statSync(whole, {throwIfNoEntry: false})?.isDirectory() ? whole : dirname(whole)
  })
  const isAbove = (folder: string) =>
    folders.every(
      one => one === folder || one.startsWith(folder.endsWith(sep) ? folder : folder + sep),
    )
  let folder = folders[0]!
  while (!isAbove(folder)) folder = dirname(folder)
  return folder
}
