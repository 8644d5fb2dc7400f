import {createHash, type Hash} from 'node:crypto'
import {Worker} from 'node:worker_threads'
import thread from './hash-thread.cjs?raw'

/** The MD5 of content that is read in pieces, some of them repeatedly. */
export interface RunningMd5 {
  /** Number of bytes hashed so far. */
  readonly at: number
  /** Adds bytes at offset `start`, skipping those already hashed. Throws if there is a gap. */
  update(bytes: Buffer, start: number): void
  /** The MD5 in hexadecimal so far; hashing can continue. */
  digest(): string
}

export function createRunningMd5(): RunningMd5 {
  const hash: Hash = createHash('md5')
  let at = 0
  return {
    get at() {
      return at
    },
    update(bytes, start) {
      if (start > at)
        throw new Error(`Cannot hash from byte ${start}: only ${at} bytes are hashed.`)
      const fresh = bytes.subarray(at - start)
      if (start + bytes.length <= at) return
      hash.update(fresh)
      at = start + bytes.length
    },
    digest: () => hash.copy().digest('hex'),
  }
}

/** Computes an MD5, optionally in a separate thread, because the main one is busy moving bytes. */
export interface Hasher {
  /** Adds shared memory, which must not change until the promise resolves. */
  update(bytes: Uint8Array<SharedArrayBuffer>): Promise<void>
  /** The MD5 in hexadecimal so far. */
  digest(): Promise<string>
  /** Starts again with no bytes. */
  reset(): void
  end(): void
}

export function createHasher(inThread: boolean): Hasher {
  return inThread ? threadHasher() : plainHasher()
}

function plainHasher(): Hasher {
  let hash = createHash('md5')
  return {
    update: async bytes => void hash.update(bytes),
    digest: async () => hash.copy().digest('hex'),
    reset: () => {
      hash = createHash('md5')
    },
    end: () => undefined,
  }
}

function threadHasher(): Hasher {
  const worker = new Worker(thread, {eval: true})
  // Do not keep the process alive for the thread.
  worker.unref()
  const asked: Array<{settle(answer: string): void; fail(error: unknown): void}> = []
  let failure: {readonly error: unknown} | undefined
  worker.on('message', (answer: string) => {
    asked.shift()?.settle(answer)
    if (asked.length === 0) worker.unref()
  })
  worker.on('error', error => {
    failure = {error}
    for (const {fail} of asked.splice(0)) fail(error)
  })
  const ask = (message: unknown) =>
    new Promise<string>((settle, fail) => {
      if (failure) return fail(failure.error)
      asked.push({settle, fail})
      worker.ref()
      worker.postMessage(message)
    })
  return {
    update: async bytes => void (await ask(bytes)),
    digest: () => ask('digest'),
    reset: () => worker.postMessage('reset'),
    end: () => void worker.terminate(),
  }
}
