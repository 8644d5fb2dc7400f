import {textOf} from '#lib/api/validate.js'
import {badRequest, required} from '#lib/service/errors.js'
import {permissionIdFor} from '#lib/service/store/ids.js'
import type {Store} from '#lib/service/store/index.js'
import {type User, userByEmail, userByPermissionId} from '#lib/service/store/users.js'
import {effectivePermissions, type NewPermission, type PrincipalType} from './permissions.js'

/** Somebody who can be given access. */
export interface Principal extends Pick<NewPermission, 'id' | 'type' | 'email' | 'domain'> {
  /** The local account, where there is one. */
  readonly user?: User
}

const TYPES: readonly PrincipalType[] = ['user', 'group', 'domain', 'anyone']
const EMAIL = /^[^\s@]+@[^\s@]+$/
const DOMAIN = /^([a-z\d-]+\.)+[a-z\d-]+$/i

/**
 * Whom the body of an insert means: by `value`, an address or a domain, or by `id`, which must be
 * that of an account or of someone who can reach the item; by neither for `anyone`
 * (reference: protocols.md, section 12). An address needs no account.
 */
export function principalOf(
  store: Store,
  fileId: string,
  body: Readonly<Record<string, unknown>>,
  now: number,
): Principal {
  if (body.type === undefined || body.type === null) throw required('type')
  const type = TYPES.find(known => known === body.type)
  if (!type) throw badRequest(`The type must be one of ${TYPES.join(', ')}.`, 'type', 'invalid')
  if (type === 'anyone') return anyone(body.withLink === true)
  const value = textOf(body.value)
  const id = textOf(body.id)
  if ((value === undefined) === (id === undefined)) {
    throw badRequest(`For the type ${type}, send exactly one of value and id.`, 'value', 'required')
  }
  return value === undefined ? byId(store, fileId, type, id!, now) : byValue(store, type, value)
}

/** Everybody: found by search, or by those who have the link. */
export function anyone(withLink: boolean): Principal {
  return {id: withLink ? 'anyoneWithLink' : 'anyone', type: 'anyone', email: null, domain: null}
}

function byValue(store: Store, type: PrincipalType, value: string): Principal {
  const address = value.trim()
  if (!(type === 'domain' ? DOMAIN : EMAIL).test(address)) {
    const wanted = type === 'domain' ? 'a domain name' : 'an email address'
    throw badRequest(`The value must be ${wanted}.`, 'value', 'invalid')
  }
  const id = permissionIdFor(address)
  if (type === 'domain') return {id, type, email: null, domain: address.toLowerCase()}
  const user = userByEmail(store, address)
  if (user && type === 'group') {
    throw badRequest(`${address} is the address of a user, not of a group.`, 'type', 'invalid')
  }
  return user ? ofUser(user) : {id, type, email: address, domain: null}
}

function byId(
  store: Store,
  fileId: string,
  type: PrincipalType,
  id: string,
  now: number,
): Principal {
  const user = userByPermissionId(store, id)
  if (user && type === 'user') return ofUser(user)
  const known = effectivePermissions(store, fileId, now).find(one => one.id === id)
  if (known?.type !== type) {
    throw badRequest(
      `No ${type} with this permission ID is known; send value instead.`,
      'id',
      'invalid',
    )
  }
  return {id, type, email: known.email, domain: known.domain}
}

function ofUser(user: User): Principal {
  return {id: user.permission_id, type: 'user', email: user.email, domain: null, user}
}
