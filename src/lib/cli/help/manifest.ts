import type {Effect} from '#lib/cli/guard/destroys.js'
import {isObject} from '#lib/platform/values.js'

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
  readonly summary?: string
  readonly description?: string
  readonly usage?: string
  readonly effect: Effect
  /** `deprecated` for what the specification gives up. */
  readonly state?: string
  readonly examples?: readonly ManifestExample[]
  readonly args?: Readonly<Record<string, ManifestArgument>>
  readonly flags?: Readonly<Record<string, ManifestFlag>>
}

/** The commands by their IDs, `files:list`, and what topics are about, by theirs. */
export interface Manifest {
  readonly commands: Readonly<Record<string, ManifestCommand>>
  readonly topics: Readonly<Record<string, string>>
}

/** Puts together what both files hold, as JSON. */
export function manifestOf(commands: unknown, packaged: unknown): Manifest {
  const {oclif} = packaged as {oclif?: {topics?: unknown}}
  const topics = isObject(oclif?.topics) ? Object.entries(oclif.topics) : []
  return {
    commands: (commands as Pick<Manifest, 'commands'>).commands,
    topics: Object.fromEntries(
      topics.map(([name, topic]) => [name, String((topic as {description?: unknown}).description)]),
    ),
  }
}
