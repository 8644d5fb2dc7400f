import {readFileSync} from 'node:fs'
import {hostname} from 'node:os'
import {isObject, parseJson} from './values.js'

/**
 * Identifies a process of this machine: its process ID and, where the system provides it, its start
 * time, because IDs are reused, especially in containers. `undefined` for a process that has ended,
 * zombies included.
 */
export function markOfProcess(pid: number): string | undefined {
  if (!Number.isInteger(pid) || pid <= 0 || !exists(pid)) return undefined
  const {state, start} = readProcStat(pid)
  if (state === 'Z' || state === 'X') return undefined
  return start === undefined ? String(pid) : `${pid} ${start}`
}

/** What this process writes into a file so that others can check whether it is still running. */
export function signature(): {readonly process?: string; readonly host: string} {
  return {process: markOfProcess(process.pid), host: hostname()}
}

/**
 * The state of the process that signed a text: this process, running, or ended; `unknown` if it runs
 * on another machine or the text is incomplete.
 */
export function signerOf(text: string): 'this' | 'working' | 'ended' | 'unknown' {
  const {process: mark, host} = parsed(text)
  if (typeof mark !== 'string' || host !== hostname()) return 'unknown'
  if (markOfProcess(Number.parseInt(mark)) !== mark) return 'ended'
  return mark === signature().process ? 'this' : 'working'
}

function parsed(text: string): Record<string, unknown> {
  // Earlier versions wrote locks of transfers without the host name.
  if (/^\d+( \d+)?$/.test(text)) return {process: text, host: hostname()}
  const value = parseJson(text)
  return isObject(value) ? value : {}
}

/** Whether a process exists, including processes of other users. */
function exists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** State and start time: fields 3 and 22 of `/proc/PID/stat` (proc(5)); Linux only. */
function readProcStat(pid: number): {readonly state?: string; readonly start?: string} {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is a name in parentheses and may contain spaces.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return {state: fields[0], start: fields[19]}
  } catch {
    return {}
  }
}
