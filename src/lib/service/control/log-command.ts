import type {RequestLog} from '#lib/service/request-log/request-log.js'
import type {ControlCommands} from './control.js'

/** Maximum number of requests in one response. */
const MOST = 2000

/** Returns the command that responds with the requests in the log after a position (default: from the start). */
export function logCommand(requestLog: Pick<RequestLog, 'after'>): ControlCommands[string] {
  return ({after}) => ({...requestLog.after(Number.isSafeInteger(after) ? Number(after) : 0, MOST)})
}
