import type {FileRow} from '#lib/service/store/files/files.js'

/** What someone may do with an item, the strongest first. `commenter` is `reader` with an additional role on the wire. */
export const ROLES = [
  'owner',
  'organizer',
  'fileOrganizer',
  'writer',
  'commenter',
  'reader',
] as const
export type Role = (typeof ROLES)[number]

/** An item the caller reached, and the caller's role on it. */
export interface OpenFile extends FileRow {
  readonly role: Role
}

/** Whether a role is `needed` or a stronger one. */
export function atLeast(role: Role | undefined, needed: Role): boolean {
  return role !== undefined && ROLES.indexOf(role) <= ROLES.indexOf(needed)
}
