import {join} from 'node:path'
import {nameFromKey, stateFile} from '#lib/platform/state-file.js'

/** So many tokens live at once for a user, an app and a set of scopes (spec: authorization.md, Limits). */
export const LIVE_TOKENS = 10

/** What tokens are counted by, as far as this machine knows it. */
export interface CountedBy {
  readonly profile: string
  readonly binding: string
  readonly clientId: string
  /** Full values in the order in which they are asked for. */
  readonly scopes: readonly string[]
}

/** The times (Unix ms, oldest first) of the newest tokens of a kind that this machine got: no more than a record of its own. */
export function tokensMade(state: string | undefined, kind: CountedBy): readonly number[] {
  return recordOf(state, kind).read() ?? []
}

/** Adds a token to the record. A record that cannot be written is no reason to fail. */
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
