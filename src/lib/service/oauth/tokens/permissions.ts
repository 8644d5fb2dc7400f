import type {Operation} from '#lib/api/operations.js'

/** The permissions of fine-grained tokens (spec: authorization.md, Authentication; the specification does not list them). */
export const permissionCatalog = {
  files: 'Files and folders: content, metadata, revisions, properties and labels.',
  sharing: 'Permissions of files and shared drives.',
  drives: 'Shared drives.',
  changes: 'Changes and change notifications.',
  apps: 'Installed apps.',
} as const

export type PermissionName = keyof typeof permissionCatalog
/** `write` includes `read`. */
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

/** Returns the permission that an operation needs; `undefined` for operations that every token allows, such as `about.get`. */
export function neededPermission(operation: Operation): NeededPermission | undefined {
  const name = AREAS[operation.resource]
  if (!name) return undefined
  // Watching only reads, although it uses POST.
  const reads = operation.httpMethod === 'GET' || ['watch', 'stop'].includes(operation.verb)
  return {name, level: reads ? 'read' : 'write'}
}

export function allows(permissions: Permissions, {name, level}: NeededPermission): boolean {
  return permissions[name] === 'write' || permissions[name] === level
}

/** Formats permissions as `files=write sharing=read`, as in the store and in headers. */
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
