import {readFile} from 'node:fs/promises'
import {withLock} from '#lib/platform/lock.js'
import {writePrivately} from '#lib/platform/write-file.js'
import {isObject} from '#lib/api/validate.js'

/**
 * The local names of things whose titles do not tell them apart, by ID: files of one title in one
 * folder keep their numbers here whatever is added to them or removed. A state file, readable by its
 * owner alone; without it the oldest has the lowest number.
 */

/** How many names are kept: the latest. */
const MOST = 10_000

/** What is known; nothing where the file is missing or broken. */
export async function readKnownNames(file: string | undefined): Promise<Map<string, string>> {
  if (file === undefined) return new Map()
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'))
    const pairs = isObject(value) ? Object.entries(value) : []
    return new Map(pairs.filter((pair): pair is [string, string] => typeof pair[1] === 'string'))
  } catch {
    return new Map()
  }
}

/** Adds names to those that are known. `onLoss` hears of a file that cannot be written. */
export async function rememberNames(
  file: string | undefined,
  names: ReadonlyMap<string, string>,
  onLoss?: (error: unknown) => void,
): Promise<void> {
  if (file === undefined || names.size === 0) return
  try {
    await withLock(`${file}.lock`, async () => {
      const known = await readKnownNames(file)
      if ([...names].every(([id, name]) => known.get(id) === name)) return
      const all = [...known, ...names].slice(-MOST)
      await writePrivately(file, JSON.stringify(Object.fromEntries(all)))
    })
  } catch (error) {
    onLoss?.(error)
  }
}
