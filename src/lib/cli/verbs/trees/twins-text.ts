import {problemLine} from '#lib/cli/terminal/units.js'
import type {Twin} from '#lib/transfer/tree/pull-plan.js'
import type {PushedTwin} from '#lib/transfer/tree/push-plan.js'

/** Notices about files and folders of the same name in one folder. */

/** How many of them are listed. */
const LISTED = 5

/** Where a pull stores them. */
export function pulledTwinsText(twins: readonly Twin[]): string {
  const listed = twins.slice(0, LISTED).map(({id, path}) => `${path} (ID ${id})`)
  const more = twins.length - listed.length
  const places = more > 0 ? [...listed, `${more} more`] : listed
  return `Same name: ${problemLine(twins[0]!.title, `stored as ${places.join(', ')}`)}`
}

/** Which of them a push updates. */
export function pushedTwinText({path, count, id}: PushedTwin & {readonly id: string}): string {
  const reason = `${count} items of the service have this name; using the newest or identical one (ID ${id})`
  return `Same name: ${problemLine(path, reason)}`
}
