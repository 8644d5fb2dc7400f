import {hash, randomBytes} from 'node:crypto'
import {hostname} from 'node:os'
import {markOfProcess} from '#lib/platform/process-identity.js'
import {isPart, markOfPart, partWithMark} from './target.js'

/**
 * Names for the files of downloads under way that one process alone writes to. Such a name says whose
 * it is, so that a later run can tell what a killed process left from what another one still writes.
 */

/** Hexadecimal digits for the machine, the process and chance: those of a mark in all. */
const HOST = 3
const PROCESS = 6

/** A new name beside `path`; no other process uses the same. */
export function ownPartOf(path: string): string {
  const pid = process.pid < 16 ** PROCESS ? process.pid : 0
  const chance = randomBytes(2).toString('hex').slice(1)
  return partWithMark(path, host() + pid.toString(16).padStart(PROCESS, '0') + chance)
}

/** Whether a process of this machine that works gave a file its name; this process began with none. */
export function isInUse(name: string): boolean {
  const pid = writerOf(name)
  return pid !== undefined && pid !== process.pid && markOfProcess(pid) !== undefined
}

/** Whether a process of this machine that has ended gave a file its name. */
export function isAbandoned(name: string): boolean {
  return writerOf(name) !== undefined && !isInUse(name)
}

/** The number of the process of this machine that writes to a file of this name, if one does. */
function writerOf(name: string): number | undefined {
  if (!isPart(name)) return undefined
  const mark = markOfPart(name)
  if (!mark.startsWith(host())) return undefined
  return Number.parseInt(mark.slice(HOST, HOST + PROCESS), 16) || undefined
}

function host(): string {
  return hash('sha256', hostname()).slice(0, HOST)
}
