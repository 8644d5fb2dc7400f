import type {Store} from '#lib/service/store/index.js'

/** At most `count` attempts within `window` ms. */
export interface Limit {
  readonly count: number
  readonly window: number
}

/** No limit looks further back than this, in ms. */
const MEMORY = 24 * 60 * 60 * 1000

/** Notes an attempt of a subject. All processes on the data directory share the count. */
export function countAttempt(store: Store, subject: string, now: number): void {
  store.write(() => {
    store.run('INSERT INTO attempts (subject, at) VALUES (:subject, :now)', {subject, now})
    // Of all subjects: most of them never come again.
    store.run('DELETE FROM attempts WHERE at <= :old', {old: now - MEMORY})
  })
}

/** When the attempts of a subject after `since` were made, the newest first; `count` of them at most. */
export function attemptsAfter(
  store: Store,
  subject: string,
  since: number,
  count: number,
): readonly number[] {
  return store
    .all<{at: number}>(
      'SELECT at FROM attempts WHERE subject = :subject AND at > :since ORDER BY at DESC LIMIT :count',
      {subject, since, count},
    )
    .map(({at}) => at)
}

/** When a subject over its limit may try again (Unix ms); `undefined` while it is not over it. */
export function overLimitUntil(
  store: Store,
  subject: string,
  {count, window}: Limit,
  now: number,
): number | undefined {
  const oldest = attemptsAfter(store, subject, now - window, count)[count - 1]
  return oldest === undefined ? undefined : oldest + window
}
