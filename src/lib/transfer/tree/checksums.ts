import {createHash, hash} from 'node:crypto'
import {createReadStream} from 'node:fs'
import {setImmediate} from 'node:timers/promises'
import {openScanned} from '#lib/transfer/local/open-file.js'
import {readSmall} from '#lib/transfer/smallfile.js'
import type {LocalFile} from './entries.js'
import {createPool} from './pool.js'
import type {CheckStep, Note, ReplaceStep} from './steps.js'

/**
 * Plans that make one tree like another, and what carries them out, live here. How one file travels
 * belongs to the room above. This file finds out what is the same, as far as sizes left it open.
 */

/** How many files are read at once. */
const WIDTH = 8

/**
 * The steps with each `check` decided by the content's MD5: it becomes `same` or `replace`, or
 * `fail` where the file cannot be read. Only those files are read.
 */
export async function compareChecksums<S extends {readonly action: string}>(
  steps: readonly S[],
  signal: AbortSignal,
): Promise<Array<Exclude<S, CheckStep> | Note | ReplaceStep>> {
  const compared: Array<S | Note | ReplaceStep> = [...steps]
  const open = steps.flatMap((step, index) => (isCheck(step) ? [{step, index}] : []))
  await createPool({now: () => 0, width: WIDTH}).each(open, async ({step, index}) => {
    compared[index] = await decided(step, signal)
  })
  return compared as Array<Exclude<S, CheckStep> | Note | ReplaceStep>
}

function isCheck(step: {readonly action: string}): step is CheckStep {
  return step.action === 'check'
}

async function decided(step: CheckStep, signal: AbortSignal): Promise<Note | ReplaceStep> {
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

/** The MD5 of a file's content, in hexadecimal. Throws as `openScanned` does. */
export async function md5Of(file: LocalFile, signal: AbortSignal): Promise<string> {
  const small = readSmall(file.path, file)
  if (small) {
    // Between thousands of small files there has to be time for Ctrl-C.
    await setImmediate()
    signal.throwIfAborted()
    return hash('md5', small.bytes)
  }
  const sum = createHash('md5')
  const fd = await openScanned(file.path, file)
  for await (const chunk of createReadStream('', {fd, signal})) sum.update(chunk as Buffer)
  return sum.digest('hex')
}
