import type {Entry} from '#lib/cli/terminal/layout.js'

/**
 * A page of `drv help` about what all commands have in common, such as exit codes. Pages are data, so
 * that the terminal and the documents in `docs` show the same.
 */
export interface Page {
  /** What one types behind `drv help`. */
  readonly name: string
  readonly title: string
  readonly blocks: readonly Block[]
}

export type Block =
  /** A paragraph. */
  | string
  /** What has a name, and what it is for. */
  | {readonly heading?: string; readonly entries: readonly Entry[]}
  /** Lines for a shell. */
  | {readonly shell: readonly string[]}
