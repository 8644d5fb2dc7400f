/** What changed in the tables since their first layout (`schema.ts`, `oauth/schema.ts`). */

/** What is too old to count is found without looking through all of it. */
export const attemptsByTime = `
CREATE INDEX attempts_by_time ON attempts(at);
`

/** In the order in which they are carried out; new ones go to the end. */
export const migrations: readonly string[] = [attemptsByTime]
