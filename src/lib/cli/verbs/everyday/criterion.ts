import type {Page} from '#lib/client/client.js'

/** One condition of `drv find`. */
export interface Criterion {
  /** The condition in the search language of the service; without it, drv reads and checks every record. */
  readonly term?: string
  /** Whether a record meets the part of the condition that the service does not check. */
  readonly matches?: (record: Page) => boolean
  /** Additional fields that `fits` needs, as dotted paths. */
  readonly extraFields?: readonly string[]
}
