import {createHash, type Hash} from 'node:crypto'
import {Worker} from 'node:worker_threads'
import thread from './hash-thread.cjs?raw'

/** The MD5 of content that is read in pieces, some of them again. */
export interface RunningMd5 {
  /** So many bytes from the first on are in it. */
  readonly at: number
  /** Takes in what is news of the bytes at `start`. There must be no gap before them. */
  update(bytes: Buffer, start: number): void
  /** In hexadecimal; goes on afterwards. */
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
      if (start > at) throw new Error(`The MD5 is at ${at}, not at ${start}.`)
      const fresh = bytes.subarray(at - start)
      if (start + bytes.length <= at) return
      hash.update(fresh)
      at = start + bytes.length
    },
    digest: () => hash.copy().digest('hex'),
  }
}

/** MD5 beside the thread that moves the bytes, which is busy enough when they come fast. */
export interface Hasher {
  /** Takes in shared memory, which must stay as it is until the promise resolves. */
  update(bytes: Uint8Array<SharedArrayBuffer>): Promise<void>
  /** MD5 in hexadecimal of all that was taken in so far. */
  digest(): Promise<string>
  /** Begins anew. */
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
  // A forgotten thread must not keep the process.
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
