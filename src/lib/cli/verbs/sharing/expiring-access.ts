import type {Grantee} from '#lib/cli/input/names/permissions.js'
import type {Step} from '#lib/cli/run/plan.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import type {CallInput, Client} from '#lib/client/client.js'
import {gatherCalls} from '#lib/transfer/remote/gather.js'
import {roleChangeRequest} from './permission-requests.js'

/** Access that ends at a time, for a plan: the service accepts an expiration only for an existing permission. */

/** The IDs of the permissions that people and groups get when something is shared with them, by address. */
export async function permissionIdsOf(
  client: Client,
  pairs: ReadonlyArray<{readonly who: Grantee}>,
): Promise<ReadonlyMap<string, string>> {
  const people = pairs.filter(({who: {type}}) => type === 'user' || type === 'group')
  const emails = [...new Set(people.map(({who}) => who.word))]
  const reads = gatherCalls(client)
  const ids = await Promise.all(
    emails.map(async email => {
      const {id} = (await reads.call('permissions.getIdForEmail', {params: {email}})) ?? {}
      return [email, String(id)] as const
    }),
  )
  return new Map(ids)
}

interface Expiring {
  readonly fileId: string
  readonly who: Grantee
  readonly role: string
  /** An RFC 3339 time. */
  readonly expires: string
  readonly permissionIds: ReadonlyMap<string, string>
}

/** The steps that give access, and then set its end. */
export function expiringSteps(
  facts: Pick<Step, 'original' | 'label' | 'change' | 'rowOf' | 'recover'>,
  input: CallInput,
  {fileId, who, role, expires, permissionIds}: Expiring,
): Step[] {
  const {original, label} = facts
  const id = permissionIds.get(who.word)
  if (id === undefined) return [{original, label, error: neverExpires(who.word)}]
  const first: Step = {...facts, call: {id: 'permissions.insert', input}}
  const changed = roleChangeRequest(fileId, id, role, expires)
  const call = {id: 'permissions.patch', input: changed} as const
  return [first, {original, label, call, after: first, action: 'end access', isAside: true}]
}

function neverExpires(who: string): CommandError {
  return new CommandError(
    'failed',
    `Cannot set an expiration for "${who}": only the access of people and groups can expire.`,
    'Remove --expires.',
  )
}
