import {createHash} from 'node:crypto'
import {join} from 'node:path'
import {withLock} from '#lib/platform/lock.js'
import {readText} from '#lib/platform/open-file.js'
import {writePrivately} from '#lib/platform/write-file.js'

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

/**
 * The times (Unix ms, the oldest first) of the newest tokens of a kind that this machine has got;
 * none where no record can be read. It is a record, not the truth: other machines get tokens too,
 * and some of these may have been revoked.
 */
export async function tokensMade(
  state: string | undefined,
  kind: CountedBy,
): Promise<readonly number[]> {
  if (!state) return []
  const text = await readText(fileOf(state, kind)).catch(() => '')
  return text
    .split('\n')
    .filter(line => /^\d{1,15}$/.test(line))
    .map(Number)
    .slice(-LIVE_TOKENS)
}

/** Adds a token to the record. A record that cannot be written is no reason to fail. */
export async function recordToken(
  state: string | undefined,
  kind: CountedBy,
  now: number,
): Promise<void> {
  if (!state) return
  const file = fileOf(state, kind)
  await withLock(`${file}.lock`, async () => {
    const times = [...(await tokensMade(state, kind)), now].slice(-LIVE_TOKENS)
    await writePrivately(file, times.map(time => `${time}\n`).join(''))
  }).catch(() => undefined)
}

function fileOf(state: string, {profile, binding, clientId, scopes}: CountedBy): string {
  const key = [profile, binding, clientId, ...scopes].join('\n')
  return join(state, 'made', createHash('sha256').update(key).digest('hex'))
}
