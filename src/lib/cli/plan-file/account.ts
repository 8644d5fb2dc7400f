import {isObject, nonEmptyText} from '#lib/api/validate.js'
import type {Client} from '#lib/client/client.js'
import {ServiceError} from '#lib/client/errors.js'
import type {PlanAccount} from './format.js'

/**
 * The account that plans are made for and applied with; null if the service does not return it. Sends
 * one request. The ID of `/user` is another one than that of `about.get`, so always use this function.
 */
export async function currentAccount(client: Client): Promise<PlanAccount | null> {
  const params = {fields: 'user(permissionId,emailAddress)'}
  const about = await client.call('about.get', {params}).catch((error: unknown) => {
    const isUnknown = error instanceof ServiceError && [403, 404].includes(error.status)
    if (isUnknown) return undefined
    throw error
  })
  const user = isObject(about?.user) ? about.user : {}
  const id = nonEmptyText(user.permissionId)
  const login = nonEmptyText(user.emailAddress)
  if (id === undefined && login === undefined) return null
  return {...(id !== undefined && {id}), ...(login !== undefined && {login})}
}

/** Whether two accounts are known to differ: by ID if both have one, otherwise by email address. */
export function areDifferent(one: PlanAccount | null, other: PlanAccount | null): boolean {
  if (!one || !other) return false
  if (one.id !== undefined && other.id !== undefined) return one.id !== other.id
  if (one.login === undefined || other.login === undefined) return false
  return one.login.toLowerCase() !== other.login.toLowerCase()
}
