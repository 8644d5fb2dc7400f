import {UsageError} from '#lib/cli/terminal/errors.js'
import type {Effect} from './destroys.js'

/** Global flags that mean nothing for a command. Help does not list them. */

interface Facts {
  readonly effect: Effect
  readonly isPlannable?: boolean
  readonly previewsReads?: boolean
}

/** The global flags that a command refuses. Pure. */
export function refusedFlags({effect, isPlannable, previewsReads}: Facts): string[] {
  const isReading = effect === 'reads'
  return [
    ...(isReading || !isPlannable ? ['plan'] : []),
    ...(isReading && !previewsReads ? ['dry-run'] : []),
  ]
}

/** Throws `UsageError` for a flag that the command refuses. */
export function refuseFlags(
  facts: Facts,
  flags: Readonly<Record<string, unknown>>,
  command: string,
): void {
  const flag = refusedFlags(facts).find(name => flags[name])
  if (flag === undefined) return
  const reason = facts.effect === 'reads' ? 'it changes no files' : 'its changes cannot be planned'
  throw new UsageError(
    `--${flag} cannot be used with \`drv ${command}\`: ${reason}.`,
    `Remove --${flag}.`,
  )
}
