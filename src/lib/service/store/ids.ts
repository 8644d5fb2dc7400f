import {createHash} from 'node:crypto'

/** Source of random bytes; injected, so that tests can predict IDs. */
export type Random = (bytes: number) => Buffer

/** A new file ID in the format of the public service: 33 URL-safe characters (reference: resources.md, Encoding rules). */
export function newFileId(random: Random): string {
  return `1${random(24).toString('base64url')}`
}

/** A new ID of a shared drive and its root folder: 19 characters. */
export function newDriveId(random: Random): string {
  return `0A${random(12).toString('base64url')}P`
}

/** A new opaque ID for other resources. It never starts with a hyphen, which the command line would read as a flag. */
export function newOpaqueId(random: Random, bytes = 21): string {
  return random(bytes).toString('base64url').replace(/^-/, '0')
}

/** The permission ID of an email address or domain, with or without an account: 20 digits (reference: resources.md, Encoding rules). */
export function permissionIdFor(address: string): string {
  const digest = createHash('sha256').update(address.trim().toLowerCase()).digest()
  return digest.readBigUInt64BE().toString().padStart(20, '0')
}
