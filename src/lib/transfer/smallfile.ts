import {hash} from 'node:crypto'
import {closeSync, fstatSync, readFileSync} from 'node:fs'
import {CHUNK_UNIT} from '#lib/api/wire.js'
import {changed, TransferError} from './errors.js'
import {type Identity, identityOf, isSameSource} from './journal/entry.js'
import {openScannedSync, type Scanned} from './local/open-file.js'
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
 * all of them here. Throws `TransferError` where the file changes meanwhile, or is not `scanned`.
 */
export function readSmall(path: string, scanned?: Scanned): Small | undefined {
  const opened = openSmall(path, scanned)
  if (!opened) return undefined
  const {descriptor, facts} = opened
  try {
    const identity = identityOf(path, facts, scanned?.root)
    const bytes = readFileSync(descriptor)
    const now = identityOf(path, fstatSync(descriptor, {bigint: true}))
    if (bytes.length !== identity.size || !isSameSource(now, identity)) throw changed(path)
    return {identity, bytes}
  } finally {
    closeSync(descriptor)
  }
}

function openSmall(path: string, scanned: Scanned | undefined) {
  try {
    return openScannedSync(path, scanned, facts => facts.isFile() && facts.size <= WHOLE)
  } catch (error) {
    if (error instanceof TransferError) throw error
    return undefined
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
