import {type IfExists, resolveConflict} from '#lib/transfer/resolve-conflict.js'
import {md5Of} from './checksums.js'
import {isSameTime, type LocalFile, type RemoteFile} from './entries.js'
import {
  below,
  type Beside,
  type Note,
  type PullStep,
  type PushStep,
  type ReplaceStep,
} from './steps.js'

interface Settling {
  readonly ifExists: IfExists
  readonly signal: AbortSignal
}

/** The steps of a push whose sums have been compared, as they are to be done. */
export function settlePush(steps: readonly PushStep[], settling: Settling): Promise<PushStep[]> {
  return settled(steps, settling, ({local}, {path, name, parent}) => {
    return {action: 'upload', path, name, parent, local}
  })
}

/** The same of a pull. */
export function settlePull(steps: readonly PullStep[], settling: Settling): Promise<PullStep[]> {
  return settled(steps, settling, ({remote}, {path}) => ({action: 'download', path, remote}))
}

/** `put` makes the step that puts content beside what is there. */
async function settled<S extends {readonly action: string}>(
  steps: readonly (S | ReplaceStep)[],
  {ifExists, signal}: Settling,
  put: (step: ReplaceStep, beside: Beside) => S,
): Promise<Array<S | ReplaceStep | Note>> {
  const done: Array<S | ReplaceStep | Note> = []
  for (const step of steps) {
    if (!isReplace(step)) {
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

const REASON = 'a file of this name, with other content, is there already'

function isReplace(step: {readonly action: string}): step is ReplaceStep {
  return step.action === 'replace'
}

/** Whether an earlier run put this very content beside what is there. */
async function broughtBefore(
  {local, remote}: ReplaceStep,
  {earlier, parent}: Beside,
  signal: AbortSignal,
): Promise<Note | undefined> {
  for (const file of earlier) {
    const pair = 'path' in file ? {local: file, remote} : {local, remote: file}
    const name = 'path' in file ? file.name : file.title
    if (await isSame(pair, signal)) return {action: 'same', path: below(parent, name), ...pair}
  }
  return undefined
}

/** By size and MD5; where the service tells no MD5, by size and time; an export by its time alone. */
export async function isSame(
  {local, remote}: {readonly local: LocalFile; readonly remote: RemoteFile},
  signal: AbortSignal,
): Promise<boolean> {
  if (remote.exported) return isSameTime(local, remote)
  if (local.size !== remote.size) return false
  if (remote.md5 === undefined) return isSameTime(local, remote)
  return (await md5Of(local, signal)) === remote.md5
}
