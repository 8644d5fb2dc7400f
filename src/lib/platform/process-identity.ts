import {readFileSync} from 'node:fs'
import {hostname} from 'node:os'
import {isObject, parseJson} from './values.js'

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

/** What this process writes of itself into a file, so that others see whether it still works. */
export function signature(): {readonly process?: string; readonly host: string} {
  return {process: markOfProcess(process.pid), host: hostname()}
}

/**
 * Which process has signed a text: this one, one that works or has ended; `unknown` where that
 * cannot be told, as of another machine, or of a text that is being written just now.
 */
export function signerOf(text: string): 'this' | 'working' | 'ended' | 'unknown' {
  const {process: mark, host} = parsed(text)
  if (typeof mark !== 'string' || host !== hostname()) return 'unknown'
  if (markOfProcess(Number.parseInt(mark)) !== mark) return 'ended'
  return mark === signature().process ? 'this' : 'working'
}

function parsed(text: string): Record<string, unknown> {
  // Locks of transfers were written without the machine by earlier versions.
  if (/^\d+( \d+)?$/.test(text)) return {process: text, host: hostname()}
  const value = parseJson(text)
  return isObject(value) ? value : {}
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
