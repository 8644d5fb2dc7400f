import type {Operation} from '#lib/api/operations.js'

/** What a fine-grained token can be allowed, area by area (spec: authorization.md, Authentication; the catalogue is this service's own). */
export const permissionCatalogue = {
  files: 'Files and folders: content, metadata, revisions, properties and labels.',
  sharing: 'Who has access to files and shared drives.',
  drives: 'Shared drives themselves.',
  changes: 'What has changed, and notifications of it.',
  apps: 'Which apps are installed.',
} as const

export type PermissionName = keyof typeof permissionCatalogue
/** `write` holds `read`. */
export type Level = 'read' | 'write'
export type Permissions = Readonly<Partial<Record<PermissionName, Level>>>

export interface NeededPermission {
  readonly name: PermissionName
  readonly level: Level
}

const AREAS: Readonly<Partial<Record<Operation['resource'], PermissionName>>> = {
  apps: 'apps',
  changes: 'changes',
  channels: 'changes',
  children: 'files',
  drives: 'drives',
  files: 'files',
  parents: 'files',
  permissions: 'sharing',
  properties: 'files',
  revisions: 'files',
}

/** The permission an operation takes; `undefined` for what every token may do, which is to say who its user is. */
export function neededPermission(operation: Operation): NeededPermission | undefined {
  const name = AREAS[operation.resource]
  if (!name) return undefined
  // To watch is to read, although it is sent with POST.
  const reads = operation.httpMethod === 'GET' || ['watch', 'stop'].includes(operation.verb)
  return {name, level: reads ? 'read' : 'write'}
}

export function allows(permissions: Permissions, {name, level}: NeededPermission): boolean {
  return permissions[name] === 'write' || permissions[name] === level
}

/** `files=write sharing=read`, as the store and the headers have it. */
export function permissionsText(permissions: Permissions): string {
  return Object.entries(permissions)
    .map(([name, level]) => `${name}=${level}`)
    .sort()
    .join(' ')
}

export function readPermissions(text: string): Permissions {
  const pairs = text.split(' ').filter(pair => pair !== '')
  return Object.fromEntries(pairs.map(pair => pair.split('='))) as Permissions
}
