import {momentIn} from '#lib/api/moment.js'
import {isOfSameApi, type Operation} from '#lib/api/operations.js'
import {ownProperty} from '#lib/platform/values.js'
import type {FlagValues} from './call-input.js'
import {roleNamed} from './names/permissions.js'
import {operationFlags} from './parameter-flags.js'

/**
 * The flags with relative times converted to the service's format. `30d` means 30 days after `now` (Unix
 * milliseconds) for an expiration, and before it for other fields. Other values are kept.
 */
export function withTimes(operation: Operation, flags: FlagValues, now: number): FlagValues {
  const changed = operationFlags(operation).flatMap(({flag, name, schema}) => {
    const text = ownProperty(flags, flag)
    const isMilliseconds = schema.format === 'int64' && name === 'expiration'
    if (typeof text !== 'string' || !(schema.format === 'date-time' || isMilliseconds)) return []
    const isComplete = /^\d+$|^\d{4}-\d\d-\d\dT/i.test(text)
    const moment = isComplete ? undefined : momentIn(text, now, {isAhead: /^expir/.test(name)})
    if (moment === undefined) return []
    return [[flag, isMilliseconds ? String(moment) : new Date(moment).toISOString()] as const]
  })
  return changed.length > 0 ? {...flags, ...Object.fromEntries(changed)} : flags
}

/** The flags with aliases of permission roles converted to the service's roles, such as `editor` to `writer`. */
export function withRole(operation: Operation, flags: FlagValues): FlagValues {
  const {role} = flags
  const isOfPermission = operation.request?.$ref === 'Permission'
  if (typeof role !== 'string' || !isOfPermission || !isOfSameApi(operation.document)) return flags
  if (role !== 'commenter') return {...flags, role: roleNamed(role)}
  // The API represents a commenter as a reader with an additional role.
  const additional = [flags['additional-roles'] ?? []].flat()
  return {...flags, role: 'reader', 'additional-roles': [...new Set([...additional, role])]}
}
