import type {Store} from '#lib/service/store/index.js'

/** At most `count` attempts within `window` ms. */
export interface Limit {
  readonly count: number
  readonly window: number
}

/** Time in ms for which attempts are stored: longer than the window of any limit. */
const RETENTION = 24 * 60 * 60 * 1000

/** Records an attempt of a subject. All processes on the data directory share the count. */
export function countAttempt(store: Store, subject: string, now: number): void {
  store.write(() => {
    store.run('INSERT INTO attempts (subject, at) VALUES (:subject, :now)', {subject, now})
    // Deletes old attempts of all subjects, because most subjects never appear again.
    store.run('DELETE FROM attempts WHERE at <= :old', {old: now - RETENTION})
  })
}

/** Returns the times of a subject's attempts after `since` in Unix ms, the newest first, at most `count`. */
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

/** Returns when a subject over its limit may try again (Unix ms); `undefined` if it is below the limit. */
export function overLimitUntil(
  store: Store,
  subject: string,
  {count, window}: Limit,
  now: number,
): number | undefined {
  const oldest = attemptsAfter(store, subject, now - window, count)[count - 1]
  return oldest === undefined ? undefined : oldest + window
}
