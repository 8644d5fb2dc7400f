import {mapFormat, stateFile} from '#lib/platform/state-file.js'

/**
 * The local names of things whose titles do not tell them apart, by ID: files of one title in one
 * folder keep their numbers here whatever is added to them or removed. A state file, readable by its
 * owner alone; without it the oldest has the lowest number.
 */

/** How many names are kept: the latest. */
const MOST = 10_000

/** What is known; nothing where the file is missing or broken. */
export function readKnownNames(file: string | undefined): ReadonlyMap<string, string> {
  return nameFile(file).read() ?? new Map()
}

/** Adds names to those that are known. `onLoss` hears of a file that cannot be written. */
export async function rememberNames(
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
