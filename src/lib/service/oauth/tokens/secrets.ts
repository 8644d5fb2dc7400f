import {createHash, timingSafeEqual} from 'node:crypto'
import type {Random} from '#lib/service/store/ids.js'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** What is kept of a secret: its SHA-256 in hexadecimal digits. */
export function secretHash(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

/** Whether a secret is the one behind a hash, in a time that tells nothing. */
export function isSecret(secret: string, hash: string): boolean {
  return timingSafeEqual(Buffer.from(secretHash(secret)), Buffer.from(hash))
}

/** Whether an app has a secret, and this is it. */
export function isAppSecret(
  {secret_hash}: {readonly secret_hash: string | null},
  secret: string | undefined,
): boolean {
  return secret_hash !== null && secret !== undefined && isSecret(secret, secret_hash)
}

/** `length` characters of `alphabet` (256 at most), each equally likely. */
export function randomText(random: Random, length: number, alphabet = BASE62): string {
  // Bytes above the last whole multiple would favour the alphabet's first characters.
  const limit = 256 - (256 % alphabet.length)
  let text = ''
  while (text.length < length) {
    for (const byte of random(length)) {
      if (byte < limit && text.length < length) text += alphabet[byte % alphabet.length]
    }
  }
  return text
}

/** A number in base 62, with zeros in front up to `length`. */
export function base62(number: number, length: number): string {
  let text = ''
  for (let rest = number; rest > 0; rest = Math.floor(rest / 62)) text = BASE62[rest % 62] + text
  return text.padStart(length, '0')
}
