import {createHash, timingSafeEqual} from 'node:crypto'
import type {Random} from '#lib/service/store/ids.js'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Returns the SHA-256 of a secret as hexadecimal digits, for storing it. */
export function secretHash(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

/** Whether a secret has this hash, compared in constant time. */
export function isSecret(secret: string, hash: string): boolean {
  return timingSafeEqual(Buffer.from(secretHash(secret)), Buffer.from(hash))
}

/** Whether this is the secret of an app; false for an app without a secret. */
export function isAppSecret(
  {secret_hash}: {readonly secret_hash: string | null},
  secret: string | undefined,
): boolean {
  return secret_hash !== null && secret !== undefined && isSecret(secret, secret_hash)
}

/** Returns `length` random characters of `alphabet` (at most 256), all equally likely. */
export function randomText(random: Random, length: number, alphabet = BASE62): string {
  // Bytes above the last whole multiple would favor the first characters of the alphabet.
  const limit = 256 - (256 % alphabet.length)
  let text = ''
  while (text.length < length) {
    for (const byte of random(length)) {
      if (byte < limit && text.length < length) text += alphabet[byte % alphabet.length]
    }
  }
  return text
}

/** Formats a number in base 62, padded with zeros to `length`. */
export function base62(number: number, length: number): string {
  let text = ''
  for (let rest = number; rest > 0; rest = Math.floor(rest / 62)) text = BASE62[rest % 62] + text
  return text.padStart(length, '0')
}
