import {createHash} from 'node:crypto'

/** Source of random bytes; injected, so that a test can foretell IDs. */
export type Random = (bytes: number) => Buffer

/** A file ID in the public service's look: 33 URL-safe characters (reference: resources.md, Encoding rules). */
export function newFileId(random: Random): string {
  return `1${random(24).toString('base64url')}`
}

/** A shared drive's ID, which is also that of its top folder: 19 characters. */
export function newDriveId(random: Random): string {
  return `0A${random(12).toString('base64url')}P`
}

/** An opaque ID for what is neither file nor drive. It begins with no hyphen, which a command line would take for a flag. */
export function newOpaqueId(random: Random, bytes = 21): string {
  return random(bytes).toString('base64url').replace(/^-/, '0')
}

/** The permission ID of an address, also before it has an account: decimal digits (reference: resources.md, Encoding rules). */
export function permissionIdFor(address: string): string {
  const digest = createHash('sha256').update(address.trim().toLowerCase()).digest()
  return digest.readBigUInt64BE().toString().padStart(20, '0')
}
