import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import type {Effect} from '#lib/cli/guard/destroys.js'

/** What is read of `oclif.manifest.json` and of package.json. */

export interface ManifestFlag {
  readonly name: string
  readonly type: 'boolean' | 'option'
  readonly char?: string
  readonly summary?: string
  /** More than the summary, for whoever wants to know all. */
  readonly description?: string
  readonly helpValue?: string
  /**
   * `GLOBAL` for those that every command has, `PATH` for what the path names, `BODY` for fields of
   * what is sent, `MANY` for many things.
   */
  readonly helpGroup?: string
  /** Its place in help, as `ranked` gives it; the global flags have theirs in their own table. */
  readonly rank?: number
  readonly options?: readonly string[]
  readonly hidden?: boolean
  readonly allowNo?: boolean
  readonly multiple?: boolean
  readonly required?: boolean
  readonly aliases?: readonly string[]
}

export interface ManifestArgument {
  readonly name: string
  readonly description?: string
  readonly options?: readonly string[]
  readonly multiple?: boolean
  readonly required?: boolean
  readonly hidden?: boolean
}

export interface ManifestExample {
  readonly description: string
  readonly command: string
}

export interface ManifestCommand {
  readonly id: string
  readonly hidden?: boolean
  /** Words of other tools for it, as in `Verb.aliases`. */
  readonly hiddenAliases?: readonly string[]
  readonly summary?: string
  readonly description?: string
  readonly usage?: string
  readonly effect: Effect
  /** Its place among the verbs of every day. */
  readonly everyDay?: number
  /** `deprecated` for what the specification gives up. */
  readonly state?: string
  readonly examples?: readonly ManifestExample[]
  readonly args?: Readonly<Record<string, ManifestArgument>>
  readonly flags?: Readonly<Record<string, ManifestFlag>>
}

/**
 * What oclif looks at before it loads a command, and what a list of commands shows of it: an entry of
 * `dist/commands.json`, the extract of `oclif.manifest.json` that the build makes for a start.
 */
export interface IndexedCommand {
  readonly id: string
  readonly summary?: string
  readonly hidden?: boolean
  readonly everyDay?: number
  /** Whether words beyond the arguments are refused. */
  readonly strict?: boolean
  readonly aliases: string[]
  readonly hiddenAliases: string[]
  /** The arguments by their names, without what help says of them. */
  readonly args: Readonly<Record<string, {readonly name: string}>>
}

/** The commands by their IDs, `files:list`, and what topics are about, by theirs. */
export interface Manifest {
  readonly version: string
  readonly commands: Readonly<Record<string, ManifestCommand>>
  readonly topics: Readonly<Record<string, string>>
  /** The topics with a command for each operation of the service. */
  readonly operationTopics: readonly string[]
}

interface Packaged {
  readonly version: string
  readonly oclif: {readonly topics: Readonly<Record<string, PackagedTopic>>}
}

interface PackagedTopic {
  readonly description: string
  readonly isOfOperations?: boolean
}

/** Puts together what both files hold, as JSON. */
export function manifestOf(commands: unknown, packaged: unknown): Manifest {
  const {oclif, version} = packaged as Packaged
  const topics = Object.entries(oclif.topics)
  return {
    version,
    commands: (commands as Pick<Manifest, 'commands'>).commands,
    topics: Object.fromEntries(topics.map(([name, {description}]) => [name, description])),
    operationTopics: topics.flatMap(([name, {isOfOperations}]) => (isOfOperations ? [name] : [])),
  }
}

/** Reads the manifest of the installation in the folder `root`. */
export function readManifest(root: string): Manifest {
  const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8')) as unknown
  return manifestOf(read('oclif.manifest.json'), read('package.json'))
}

/**
 * Reads one command of the manifest. The build writes each on a line of its own, so that a start parses
 * no more than that line.
 */
export function readCommand(root: string, id: string): ManifestCommand {
  const text = readFileSync(join(root, 'oclif.manifest.json'))
  const key = `\n${JSON.stringify(id)}:`
  const begin = text.indexOf(key)
  if (begin < 0) return readManifest(root).commands[id]!
  const line = text.toString('utf8', begin + key.length, text.indexOf('\n', begin + 1))
  return JSON.parse(line.replace(/,$/, '')) as ManifestCommand
}

/** Reads the commands of the installation in the folder `root`, in the order in which oclif has them. */
export function readCommandIndex(root: string): readonly IndexedCommand[] {
  const text = readFileSync(join(root, 'dist/commands.json'), 'utf8')
  const entries = JSON.parse(text) as Array<Partial<IndexedCommand> & {id: string}>
  return entries.map(entry => ({strict: true, aliases: [], hiddenAliases: [], args: {}, ...entry}))
}
