import type {ReadOnlySource, Settings} from './settings.js'

/** Refused by a setting of the person's own. `message` is a whole sentence. */
export class ReadOnlyError extends Error {
  constructor(
    message: string,
    /** How to lift it. */
    readonly hint: string,
  ) {
    super(message)
    this.name = 'ReadOnlyError'
  }
}

/** What refuses `what`, such as `drv push`; `undefined` where things may be changed. */
export function readOnlyError(
  {readOnly = [], profile}: Pick<Settings, 'readOnly' | 'profile'>,
  what: string,
): ReadOnlyError | undefined {
  if (readOnly.length === 0) return undefined
  const lifts: Readonly<Record<ReadOnlySource, string>> = {
    flag: 'leave out --read-only',
    environment: 'unset DRV_READ_ONLY',
    profile: `sign out of profile "${profile}" with \`drv auth logout\` and in again without --read-only`,
  }
  const ways = readOnly.map(source => lifts[source]).join(', and ')
  return new ReadOnlyError(
    `${what} changes something, and here drv only reads: nothing was sent.`,
    `To lift that, ${ways}.`,
  )
}
