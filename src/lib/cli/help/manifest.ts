import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import type {Effect} from '#lib/cli/guard/destroys.js'

/** The parts of `oclif.manifest.json` and package.json that drv reads. */

export interface ManifestFlag {
  readonly name: string
  readonly type: 'boolean' | 'option'
  readonly char?: string
  readonly summary?: string
  /** Details beyond the summary, shown by `--help-all`. */
  readonly description?: string
  readonly helpValue?: string
  /**
   * `GLOBAL` for flags of every command, `PATH` for parameters of the URL path, `BODY` for fields of
   * the request body, `MANY` for batches.
   */
  readonly helpGroup?: string
  /** The position in help, set by `ranked`; global flags have theirs in their own table. */
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
  /** The position among the everyday commands. */
  readonly everyDay?: number
  /** `deprecated` if the specification deprecates it. */
  readonly state?: string
  readonly examples?: readonly ManifestExample[]
  readonly args?: Readonly<Record<string, ManifestArgument>>
  readonly flags?: Readonly<Record<string, ManifestFlag>>
}

/**
 * The data that oclif and lists of commands need before the command is loaded: an entry of
 * `dist/commands.json`, which the build extracts from `oclif.manifest.json` for a fast start.
 */
export interface IndexedCommand {
  readonly id: string
  readonly summary?: string
  readonly hidden?: boolean
  readonly everyDay?: number
  /** Whether extra arguments are an error. */
  readonly strict?: boolean
  readonly aliases: string[]
  readonly hiddenAliases: string[]
  /** The arguments by name, without descriptions. */
  readonly args: Readonly<Record<string, {readonly name: string}>>
}

/** Commands by ID (`files:list`), and summaries of topics by ID. */
export interface Manifest {
  readonly version: string
  readonly commands: Readonly<Record<string, ManifestCommand>>
  readonly topics: Readonly<Record<string, string>>
  /** The topics with one command per operation of the service. */
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

/** Merges the parsed JSON of both files. */
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
 * Reads one command from the manifest. The build writes one command per line, so that drv parses only
 * that line at start.
 */
export function readCommand(root: string, id: string): ManifestCommand {
  const text = readFileSync(join(root, 'oclif.manifest.json'))
  const key = `\n${JSON.stringify(id)}:`
  const begin = text.indexOf(key)
  if (begin < 0) return readManifest(root).commands[id]!
  const line = text.toString('utf8', begin + key.length, text.indexOf('\n', begin + 1))
  return JSON.parse(line.replace(/,$/, '')) as ManifestCommand
}

/** Reads the commands of the installation in the folder `root`, in oclif's order. */
export function readCommandIndex(root: string): readonly IndexedCommand[] {
  const text = readFileSync(join(root, 'dist/commands.json'), 'utf8')
  const entries = JSON.parse(text) as Array<Partial<IndexedCommand> & {id: string}>
  return entries.map(entry => ({strict: true, aliases: [], hiddenAliases: [], args: {}, ...entry}))
}
