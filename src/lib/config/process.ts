import {readFileSync} from 'node:fs'
import {hostname} from 'node:os'
import {isObject} from '../api/validate.js'

/**
 * What names a process of this machine: its number and, where the system tells it, when it began,
 * for numbers come again after a restart, and in a container soon. `undefined` for one that is gone,
 * even when nobody has taken note of its end yet.
 */
export function markOfProcess(pid: number): string | undefined {
  if (!Number.isInteger(pid) || pid <= 0 || !isThere(pid)) return undefined
  const {state, start} = factsOf(pid)
  if (state === 'Z' || state === 'X') return undefined
  return start === undefined ? String(pid) : `${pid} ${start}`
}

/** Whether the process of a mark still works. */
export function isAlive(mark: string, markOf = markOfProcess): boolean {
  return markOf(Number.parseInt(mark)) === mark
}

/** What a process writes of itself into a file, as JSON, so that others see whether it still works. */
export function signatureOf(pid: number): {readonly process?: string; readonly host: string} {
  return {process: markOfProcess(pid), host: hostname()}
}

/**
 * Whether the process that signed this has ended; `false` where that cannot be told, as of another
 * machine, or of a text that is being written just now.
 */
export function hasEnded(text: string): boolean {
  let signature: unknown
  try {
    signature = JSON.parse(text)
  } catch {
    return false
  }
  if (!isObject(signature) || signature.host !== hostname()) return false
  const mark = signature.process
  return typeof mark === 'string' && !isAlive(mark)
}

/** Also of one that nobody may signal. */
function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** Fields 3 and 22 of Linux's proc(5) `stat`; none elsewhere. */
function factsOf(pid: number): {readonly state?: string; readonly start?: string} {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field, a name in parentheses, may have spaces in it.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return {state: fields[0], start: fields[19]}
  } catch {
    return {}
  }
}
