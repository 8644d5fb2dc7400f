/** A request that the service has answered; never with a token. */
export interface RequestEntry {
  /** Unix ms of the service's clock. */
  readonly time: number
  readonly method: string
  /** Without the query. */
  readonly path: string
  /** The operation; missing for other requests. */
  readonly operation?: string
  /** The login of the caller. */
  readonly user?: string
  /** The client ID of the caller's app. */
  readonly app?: string
  readonly scopes?: readonly string[]
  readonly status: number
  /** The reason of a refusal. */
  readonly reason?: string
  readonly milliseconds: number
  /** The kind of the simulated failure. */
  readonly fault?: string
  /** The ID of the file, folder or shared drive that the operation created, changed or read. */
  readonly item?: string
  /** The operation whose upload session the request continues. */
  readonly continues?: string
}

/** Facts about a request that are known only while it is served. */
export type CallFacts = Partial<
  Pick<RequestEntry, 'operation' | 'user' | 'app' | 'scopes' | 'fault' | 'item' | 'continues'>
>

/** The last requests of a service. */
export interface RequestLog {
  add(entry: RequestEntry): void
  /** The entries, the oldest first. */
  entries(): readonly RequestEntry[]
  /** The entries after a position, the oldest first, at most `limit`, and the position after them. Position 0 is the start. */
  after(position: number, limit?: number): RequestLogPage
  clear(): void
  /** Calls `listener` after each new entry. Returns a function that ends this. */
  listen(listener: () => void): () => void
}

/** Some entries of a log. */
export interface RequestLogPage {
  readonly entries: readonly RequestEntry[]
  /** The number of entries added until the last one of the page. */
  readonly position: number
}

/** Number of entries that are kept. */
const LIMIT = 10_000

/** Creates a log in memory. */
export function createRequestLog(limit = LIMIT): RequestLog {
  let kept: RequestEntry[] = []
  let added = 0
  const listeners = new Set<() => void>()
  return {
    add(entry) {
      added += 1
      kept.push(entry)
      // Moving the entries at every request would be slow.
      if (kept.length >= 2 * limit) kept = kept.slice(-limit)
      for (const listener of listeners) listener()
    },
    entries: () => kept.slice(-limit),
    after(position, most = limit) {
      const entries = kept.slice(-limit)
      const first = added - entries.length
      const start = Math.max(position - first, 0)
      const page = entries.slice(start, start + most)
      return {entries: page, position: Math.min(first + start + page.length, added)}
    },
    clear() {
      kept = []
    },
    listen(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
