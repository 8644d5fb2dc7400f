import type {FormatName} from '../output/formats.js'

/** The global flags after parsing, in the words of the code. */
export interface GlobalOptions {
  readonly profile?: string
  readonly format?: FormatName
  readonly quiet: boolean
  /** Tell each request. */
  readonly verbose: boolean
  /** Tell where an error comes from; each request is told as well. */
  readonly debug: boolean
  readonly noInput: boolean
  /** Ask the service once more why something was not found. */
  readonly probe: boolean
  /** Seconds until the whole command gives up. */
  readonly timeout?: number
}
