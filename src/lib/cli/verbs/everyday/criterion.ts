import type {Page} from '#lib/client/client.js'

/** One thing that `drv find` asks of files. */
export interface Criterion {
  /** What the service is asked, in its search language; without it all is read and looked at here. */
  readonly term?: string
  /** Whether a record fits, where the service does not say it all. */
  readonly fits?: (record: Page) => boolean
}
