import type {RequestJournal} from '#lib/service/journal/journal.js'
import type {ControlCommands} from './control.js'

/** Maximum number of requests in one response. */
const MOST = 2000

/** Returns the command that responds with the requests in the journal after a position (default: from the start). */
export function logCommand(journal: Pick<RequestJournal, 'after'>): ControlCommands[string] {
  return ({after}) => ({...journal.after(Number.isSafeInteger(after) ? Number(after) : 0, MOST)})
}
