import {type Operation, operations} from './operations.js'

/**
 * The `get` operation for the entity of a path. For a path that ends in an action, it is that of the
 * path before: `files/{fileId}` for `files/{fileId}/trash`. `undefined` if the path is not that of a
 * single entity.
 */
export function entityGet({path}: Pick<Operation, 'path'>): Operation | undefined {
  const reads = operations.filter(({httpMethod}) => httpMethod === 'GET')
  const get = reads.find(each => each.verb === 'get' && each.path === path)
  if (get || reads.some(each => each.verb === 'list' && each.path === path)) return get
  const shorter = path.replace(/\/[^/{}]+$/, '')
  return reads.find(each => each.verb === 'get' && each.path === shorter)
}

/** Query parameters that give access to items of shared drives, or that identify the entity. */
const SELECTORS = ['supportsAllDrives', 'supportsTeamDrives', 'useDomainAdminAccess', 'visibility']

/** Whether a parameter of a change also identifies its entity, so that `entityGet` needs it. */
export function isOfEntity(get: Operation, name: string): boolean {
  return get.parameters[name]?.location === 'path' || SELECTORS.includes(name)
}
