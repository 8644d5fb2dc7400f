import {readFileSync} from 'node:fs'
import {join} from 'node:path'

/** What a start reads of the commands: `dist/commands.json`, an extract of `oclif.manifest.json` that the build makes. */

/** What oclif looks at before it loads a command, and what a list of commands shows of it. */
export interface IndexedCommand {
  readonly id: string
  readonly summary?: string
  readonly hidden?: boolean
  /** Whether words beyond the arguments are refused. */
  readonly strict?: boolean
  readonly aliases: string[]
  readonly hiddenAliases: string[]
  /** The arguments by their names, without what help says of them. */
  readonly args: Readonly<Record<string, {readonly name: string}>>
}

/** Reads the commands of the installation in the folder `root`, in the order in which oclif has them. */
export function readCommandIndex(root: string): readonly IndexedCommand[] {
  return JSON.parse(readFileSync(join(root, 'dist/commands.json'), 'utf8')) as IndexedCommand[]
}
