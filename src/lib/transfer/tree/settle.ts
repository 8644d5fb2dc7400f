import {createHash, hash} from 'node:crypto'
import {createReadStream} from 'node:fs'
import {setImmediate} from 'node:timers/promises'
import {readSmall} from '#lib/transfer/content.js'
import {openScanned} from '#lib/transfer/local/open-file.js'
import {type IfExists, resolveConflict} from '#lib/transfer/resolve-conflict.js'
import {isSameTime, type LocalFile, type RemoteFile} from './entries.js'
import {
  type Beside,
  type CheckStep,
  joinPath,
  type NoteStep,
  type PullStep,
  type PushStep,
  type ReplaceStep,
} from './steps.js'

/**
 * Decides steps whose contents must be compared, and resolves conflicts. Transferring single files
 * belongs to the parent directory.
 */

/** Maximum number of files to read concurrently. */
const WIDTH = 8

/**
 * The steps with each `check` decided by MD5: it becomes `same`, `replace`, or `fail` if the file cannot
 * be read. Reads only those files.
 */
export async function compareChecksums<S extends {readonly action: string}>(
  steps: readonly S[],
  signal: AbortSignal,
): Promise<Array<Exclude<S, CheckStep> | NoteStep | ReplaceStep>> {
  const compared: Array<S | NoteStep | ReplaceStep> = [...steps]
  const open = steps.flatMap((step, index) => (isCheck(step) ? [{step, index}] : []))
  const next = open.values()
  const work = async () => {
    for (const {step, index} of next) compared[index] = await decided(step, signal)
  }
  await Promise.all(Array.from({length: WIDTH}, work))
  return compared as Array<Exclude<S, CheckStep> | NoteStep | ReplaceStep>
}

/** The same by size alone, without reading files. */
export async function compareSizes<S extends {readonly action: string}>(
  steps: readonly S[],
): Promise<Array<Exclude<S, CheckStep> | NoteStep | ReplaceStep>> {
  return steps.map((step: S | CheckStep | ReplaceStep): S | NoteStep | ReplaceStep => {
    if (!isCheck(step) && !isReplace(step)) return step
    const {local, remote, candidates = []} = step as CheckStep
    const same = [remote, ...candidates].find(({size}) => size === local.size)
    const {path} = step
    return {path, local, remote: same ?? remote, action: same ? 'same' : 'replace'}
  }) as Array<Exclude<S, CheckStep> | NoteStep | ReplaceStep>
}

function isCheck(step: {readonly action: string}): step is CheckStep {
  return step.action === 'check'
}

async function decided(step: CheckStep, signal: AbortSignal): Promise<NoteStep | ReplaceStep> {
  const {path, local, remote, candidates = []} = step
  try {
    const sum = await md5Of(local, signal)
    const same = [remote, ...candidates].find(({md5}) => md5 === sum)
    return {...step, action: same ? 'same' : 'replace', remote: same ?? remote}
  } catch (error) {
    if (signal.aborted) throw signal.reason
    return {action: 'fail', path, reason: `it cannot be read: ${(error as Error).message}`}
  }
}

/** The MD5 of a file's content in hexadecimal. Throws what `openScanned` throws. */
export async function md5Of(file: LocalFile, signal: AbortSignal): Promise<string> {
  if (file.md5 !== undefined) return file.md5
  const small = readSmall(file.path, file)
  if (small) {
    // Yield between files, so that Ctrl-C works among thousands of small ones.
    await setImmediate()
    signal.throwIfAborted()
    return hash('md5', small.bytes)
  }
  const sum = createHash('md5')
  const fd = await openScanned(file.path, file)
  for await (const chunk of createReadStream('', {fd, signal})) sum.update(chunk as Buffer)
  return sum.digest('hex')
}

interface Settling {
  readonly ifExists: IfExists
  readonly signal: AbortSignal
}

/** The final steps of a push, after comparing contents. */
export function settlePush(steps: readonly PushStep[], settling: Settling): Promise<PushStep[]> {
  return settled(steps, settling, ({local}, {path, name, parent}) => {
    return {action: 'upload', path, name, parent, local}
  })
}

/** The final steps of a pull, after comparing contents. */
export function settlePull(steps: readonly PullStep[], settling: Settling): Promise<PullStep[]> {
  return settled(steps, settling, ({remote, path: beside}, {path}) => {
    return {action: 'download', path, remote, beside}
  })
}

/** `put` returns the step that writes content under another name. */
async function settled<S extends {readonly action: string}>(
  steps: readonly (S | ReplaceStep)[],
  {ifExists, signal}: Settling,
  put: (step: ReplaceStep, beside: Beside) => S,
): Promise<Array<S | ReplaceStep | NoteStep>> {
  const done: Array<S | ReplaceStep | NoteStep> = []
  for (const step of steps) {
    if (!isReplace(step) || step.isSafe) {
      done.push(step)
      continue
    }
    const {path, remote, beside} = step
    const freeName = () => beside
    const resolution = resolveConflict(ifExists, {title: path, existing: [remote], freeName})
    if ('kept' in resolution) done.push({action: 'skip', path, reason: REASON})
    else if ('conflict' in resolution) done.push({action: 'fail', path, reason: REASON})
    else if (resolution.replaces) done.push(step)
    else if (beside) done.push((await broughtBefore(step, beside, signal)) ?? put(step, beside))
  }
  return done
}

const REASON = 'a file with this name and different content already exists'

function isReplace(step: {readonly action: string}): step is ReplaceStep {
  return step.action === 'replace'
}

/** The copy that an earlier run wrote under another name, if it has the same content. */
async function broughtBefore(
  {local, remote}: ReplaceStep,
  {earlier, parent}: Beside,
  signal: AbortSignal,
): Promise<NoteStep | undefined> {
  for (const file of earlier) {
    const pair = 'path' in file ? {local: file, remote} : {local, remote: file}
    const name = 'path' in file ? file.name : file.title
    if (await isUnchanged(pair, signal))
      return {action: 'same', path: joinPath(parent, name), ...pair}
  }
  return undefined
}

/** Compares by size and MD5; without an MD5 by size and time; an export by its time alone. */
export async function isUnchanged(
  {local, remote}: {readonly local: LocalFile; readonly remote: RemoteFile},
  signal: AbortSignal,
): Promise<boolean> {
  if (remote.exported) return isSameTime(local, remote)
  if (local.stream) return false
  if (local.size !== remote.size) return false
  if (remote.md5 === undefined) return isSameTime(local, remote)
  return (await md5Of(local, signal)) === remote.md5
}
