import {UsageError} from '#lib/cli/terminal/errors.js'
import type {Client} from '#lib/client/client.js'
import {ServiceError} from '#lib/client/errors.js'
import type {ChangeList} from '#lib/follow/checkpoint.js'
import {changesParams} from '#lib/follow/interpret.js'
import {isExpiredToken} from '#lib/follow/poll.js'
import {notAStart} from './flags.js'

/** Checks the page token of `--since` before anything runs. */

/**
 * Throws `UsageError` for a token that the service cannot have returned, and for one of several lists. One that has
 * expired is accepted: the items are listed then.
 */
export async function checkStartToken(
  client: Pick<Client, 'call'>,
  {
    list,
    token,
    current,
    lists,
  }: {
    readonly list: ChangeList
    readonly token: string
    /** The current token of the list. */
    readonly current: string
    readonly lists: readonly ChangeList[]
  },
): Promise<void> {
  if (lists.length > 1) {
    throw new UsageError(
      'Invalid --since: a page token belongs to one drive, but the paths are in several drives.',
      'Use a time such as 12h, today or 2026-01-31, or run one `drv follow` for each drive.',
    )
  }
  if (!(mayPrecede(token, current) ?? (await isAccepted(client, list, token))))
    throw notAStart(token)
}

/** Whether a service with the current token can have returned another one before; `undefined` if their form does not show it. Pure. */
export function mayPrecede(token: string, current: string): boolean | undefined {
  if (!isNumber(current)) return undefined
  return isNumber(token) && Number(token) <= Number(current)
}

/** Throws `UsageError` for a token that does not look like that of a checkpoint, which takes precedence over it. */
export function checkTokenForm(token: string, known: string): void {
  if (isNumber(known) && !isNumber(token)) throw notAStart(token)
}

function isNumber(text: string): boolean {
  return /^\d{1,15}$/.test(text)
}

/** Whether the service accepts a token, or calls it expired. */
async function isAccepted(
  client: Pick<Client, 'call'>,
  list: ChangeList,
  pageToken: string,
): Promise<boolean> {
  try {
    const params = {...changesParams(list), maxResults: '1', pageToken}
    await client.call('changes.list', {params})
    return true
  } catch (error) {
    if (!isExpiredToken(error)) throw error
    return error instanceof ServiceError && error.status === 410
  }
}
