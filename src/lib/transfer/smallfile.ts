import {hash} from 'node:crypto'
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  statSync,
} from 'node:fs'
import {CHUNK_UNIT} from '../api/wire.js'
import {WITHOUT_WAITING} from '../config/open-file.js'
import {type Identity, identityOf, isSameSource} from './journal/entry.js'
import {changed} from './errors.js'
import type {UploadContent} from './types.js'

/** Small files on their way up: read at once, and sent from memory. */

/** A file that is not larger is read at once, and goes out in one buffer. */
const WHOLE = 4 * CHUNK_UNIT

interface Small {
  readonly identity: Identity
  readonly bytes: Buffer
}

/**
 * A small file, whole; `undefined` for what is none, or cannot be read, which comes out when it is
 * opened. Each step is synchronous, for on its way through the thread pool it takes longer than
 * all of them here. Throws `TransferError` where the file changes meanwhile.
 */
export function readSmall(path: string): Small | undefined {
  let known: BigIntStats
  let fd: number
  try {
    known = statSync(path, {bigint: true})
    if (!known.isFile() || known.size > WHOLE) return undefined
    fd = openSync(path, constants.O_RDONLY | WITHOUT_WAITING)
  } catch {
    return undefined
  }
  try {
    const identity = identityOf(path, known)
    const bytes = readFileSync(fd)
    const now = identityOf(path, fstatSync(fd, {bigint: true}))
    if (bytes.length !== identity.size || !isSameSource(now, identity)) throw changed(path)
    return {identity, bytes}
  } finally {
    closeSync(fd)
  }
}

/** The content of a small file. */
export function smallContent({identity, bytes}: Small): UploadContent {
  const {size} = identity
  let md5: string | undefined
  const whole = () => (md5 ??= hash('md5', bytes))
  return {
    size,
    identity,
    async piece(start) {
      const rest = bytes.subarray(start)
      return {start, size: rest.length, total: size, bytes: () => rest}
    },
    md5: whole,
    wholeMd5: async () => whole(),
    close: async () => undefined,
  }
}
