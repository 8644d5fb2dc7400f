import {mapFormat, stateFile} from '#lib/platform/state-file.js'

/**
 * Local names of entries whose titles collide, by ID: files with the same title keep their numbers when
 * others are added or removed. A state file with mode 0600; without it the oldest file has the lowest
 * number.
 */

/** Maximum number of names to keep; older ones are dropped. */
const MOST = 10_000

/** The known names; empty if the file is missing or invalid. */
export function readKnownNames(file: string | undefined): ReadonlyMap<string, string> {
  return nameFile(file).read() ?? new Map()
}

/** Adds names to the known ones. `onLoss` is called if the file cannot be written. */
export async function saveKnownNames(
  file: string | undefined,
  names: ReadonlyMap<string, string>,
  onLoss?: (error: unknown) => void,
): Promise<void> {
  if (names.size === 0) return
  try {
    await nameFile(file).update((known = new Map()) => {
      if ([...names].every(([id, name]) => known.get(id) === name)) return undefined
      return new Map([...known, ...names].slice(-MOST))
    })
  } catch (error) {
    onLoss?.(error)
  }
}

function nameFile(file: string | undefined) {
  return stateFile({file, ...mapFormat(value => typeof value === 'string')})
}
