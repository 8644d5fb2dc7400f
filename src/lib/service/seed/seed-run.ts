import {momentIn} from '#lib/api/moment.js'
import type {Blob} from '#lib/service/store/content/content.js'
import {fileById} from '#lib/service/store/files/files.js'
import {registerBlob} from '#lib/service/store/files/revisions.js'
import type {Store} from '#lib/service/store/index.js'
import {type SeedPath, SeedProblem} from './validate.js'

/** What writing one seed needs. */
export interface SeedRun {
  readonly store: Store
  /** Unix ms. */
  readonly now: number
  /** A date in Unix ms; `undefined` without one. Ages are in the past, or ahead. Throws `SeedProblem` for text that is not a date. */
  time(text: string | undefined, path: SeedPath, isAhead?: boolean): number | undefined
  /** Marks an ID of a file as used. Throws `SeedProblem` if it is not free. */
  claim(id: string, path: SeedPath): void
  /** The row of content, inserted on first use. */
  blobRow(blob: Blob): Blob
}

const ALIASES = ['root', 'appdata', 'appdatafolder']

export function createSeedRun(store: Store, now: number): SeedRun {
  const registered = new Set<string>()
  return {
    store,
    now,
    time(text, path, isAhead) {
      if (text === undefined) return undefined
      const moment = momentIn(text, now, {isAhead})
      if (moment !== undefined && Number.isFinite(moment)) return Math.round(moment)
      throw new SeedProblem(path, `is not a date: "${text}"`)
    },
    claim(id, path) {
      if (ALIASES.includes(id.toLowerCase())) throw new SeedProblem(path, `must not be ${id}`)
      if (fileById(store, id)) throw new SeedProblem(path, `is used by another item: ${id}`)
    },
    blobRow(blob) {
      if (!registered.has(blob.id)) registerBlob(store, now, blob)
      registered.add(blob.id)
      return blob
    },
  }
}
