import {join} from 'node:path'
import {nameFromKey, stateFile} from '#lib/platform/state-file.js'

/** Maximum number of valid tokens per user, app and set of scopes (spec: authorization.md, Limits). */
export const LIVE_TOKENS = 10

/** The key by which tokens are counted, as far as this machine knows it. */
export interface CountedBy {
  readonly profile: string
  readonly binding: string
  readonly clientId: string
  /** Full values, in the order of the request. */
  readonly scopes: readonly string[]
}

/** When this machine obtained its latest tokens of a kind (Unix ms, oldest first). Tokens of other machines are unknown. */
export function tokensMade(state: string | undefined, kind: CountedBy): readonly number[] {
  return recordOf(state, kind).read() ?? []
}

/** Records a new token. Ignores write errors. */
export async function recordToken(
  state: string | undefined,
  kind: CountedBy,
  now: number,
): Promise<void> {
  await recordOf(state, kind)
    .update((times = []) => [...times, now].slice(-LIVE_TOKENS))
    .catch(() => undefined)
}

function recordOf(state: string | undefined, {profile, binding, clientId, scopes}: CountedBy) {
  const name = nameFromKey([profile, binding, clientId, ...scopes].join('\n'))
  return stateFile<readonly number[]>({
    file: state && join(state, 'made', name),
    parse: text => {
      const lines = text.split('\n').filter(line => /^\d{1,15}$/.test(line))
      return lines.map(Number).slice(-LIVE_TOKENS)
    },
    format: times => times.map(time => `${time}\n`).join(''),
  })
}
