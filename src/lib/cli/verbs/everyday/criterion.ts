import type {Page} from '#lib/client/client.js'

/** One condition of `drv find`. */
export interface Criterion {
  /** The condition in the search language of the service; without it every record is read and checked here. */
  readonly term?: string
  /** Whether a record meets it, where the service does not check all of it. */
  readonly fits?: (record: Page) => boolean
  /** The fields that `fits` needs besides those of rows, as paths. */
  readonly asks?: readonly string[]
}
