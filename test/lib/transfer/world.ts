import {createHash} from 'node:crypto'
import {mkdtempSync, readdirSync, rmSync, writeFileSync} from 'node:fs'
import {hostname, tmpdir} from 'node:os'
import {join} from 'node:path'
import {createClient} from '#lib/client/index.js'
import type {Retrying} from '#lib/client/retry/attempts.js'
import {createTransport, type Send} from '#lib/client/transport/transport.js'
import {readFaultPlan} from '#lib/service/faults/read.js'
import {createJournal} from '#lib/transfer/journal/journal.js'
import type {World} from '#lib/transfer/types.js'
import {startTestService, type TestService} from '../../service/harness.js'

/** A service with simulated faults, and clients that share a journal, like processes. */
export interface Place {
  readonly service: TestService
  readonly folder: string
  /** Requests so far, such as `PUT /upload/drive/v2/files 0-9/10`. */
  readonly requests: string[]
  /** Milliseconds waited on a fake clock. */
  readonly slept: number[]
  /** A new process with the same journal. */
  process(options?: {signal?: AbortSignal} & Partial<Retrying>): World
  /** Kills the processes so far, without releasing their locks. */
  killed(): void
  file(name: string, content: Buffer | string): string
  /** All files of the user by title, as `files.list` returns them. */
  listed(title: string): Promise<Array<Record<string, any>>>
  /** Names of journal entries, and of unexpected files. */
  left(): string[]
  close(): Promise<void>
}

type Rule = Readonly<Record<string, unknown>>

export async function startPlace(
  rules: readonly Rule[] = [],
  {
    seed,
    ...options
  }: Omit<NonNullable<Parameters<typeof startTestService>[0]>, 'seed'> & {
    seed?: number
  } = {},
): Promise<Place> {
  const faults = readFaultPlan(JSON.stringify({rules, seed}))
  const service = await startTestService({...options, now: Date.now(), faults})
  const folder = mkdtempSync(join(tmpdir(), 'drv-'))
  const directory = join(folder, '.state')
  const token = service.token()
  const requests: string[] = []
  const slept: number[] = []
  const transport = createTransport()
  const send: Send = request => {
    const {pathname, searchParams} = new URL(request.url)
    const range = request.headers['content-range'] ?? request.headers.range ?? ''
    const kind = searchParams.get('upload_id') ? 'session' : (searchParams.get('uploadType') ?? '')
    requests.push([request.method, pathname, kind, range].filter(Boolean).join(' '))
    return transport(request)
  }
  return {
    service,
    folder,
    requests,
    slept,
    process({signal = new AbortController().signal, ...patience} = {}) {
      const retrying = {
        now: () => service.clock.now,
        sleep: async (milliseconds: number) => {
          slept.push(milliseconds)
          service.clock.now += milliseconds
        },
        random: () => 0.5,
        ...patience,
      }
      const baseUrl = service.url
      const client = createClient({baseUrl, token: async () => token, signal, send, retrying})
      const now = () => service.clock.now
      const journal = createJournal({directory, profile: 'p', baseUrl, now})
      return {client, signal, journal}
    },
    killed() {
      const signed = JSON.stringify({process: String(2 ** 30), host: hostname()})
      for (const name of names(directory).filter(name => name.endsWith('.lock'))) {
        writeFileSync(join(directory, name), signed)
      }
    },
    file(name, content) {
      const path = join(folder, name)
      writeFileSync(path, content)
      return path
    },
    async listed(title) {
      const {body} = await service.json('GET', 'files', {query: {q: `title = '${title}'`}})
      return body.items
    },
    left: () =>
      [...names(directory), ...names(folder).filter(name => name.endsWith('.part'))].sort(),
    async close() {
      await service.close()
      rmSync(folder, {recursive: true, force: true})
    },
  }
}

export function md5(content: Buffer | string): string {
  return createHash('md5').update(content).digest('hex')
}

/** Bytes without repetitions nearby. */
export function bytes(size: number, seed = 1): Buffer {
  const words = new Uint32Array(Math.ceil(size / 4))
  let value = seed
  for (let at = 0; at < words.length; at++) {
    value = Math.imul(value, 1664525) + 1013904223
    words[at] = value
  }
  return Buffer.from(words.buffer, 0, size)
}

function names(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}
