import type {Result, RunOptions} from '../../support/drv.js'
import type {World} from '../../support/world.js'

/** A command that is killed at each of its points, and then run again. */
export interface Story {
  /** What the command does, as people say it. */
  readonly name: string
  readonly argv: readonly string[]
  readonly input?: string | Buffer
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Prepares what the command needs. */
  setUp?(stage: Stage): Promise<void> | void
  /** Words on standard error after which the command is interrupted, if it has no end of its own. */
  readonly endsAfter?: string
  /**
   * Exit codes with which the command ends, besides that of a complete run, if its first run did everything before it
   * was killed: there is nothing left to do.
   */
  readonly again?: readonly number[]
  /** Commands whose output must be the same after the crash and the second run as after one complete run. */
  readonly outputs?: ReadonlyArray<readonly string[]>
  /** Whether the command writes a database. */
  readonly isNative?: boolean
  /** Remote changes that the command makes twice if it is run twice, as regular expressions of their lines. */
  readonly doubles?: RegExp
}

/** The place of one run: a user with a home and local files of their own. */
export interface Stage {
  readonly world: World
  /** The folder of the two below. */
  readonly folder: string
  /** The user's configuration, state and cache, and files of drv that the user names. */
  readonly home: string
  /** The working directory of the command. */
  readonly files: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Writes a local file; its folder is created. */
  file(path: string, content: string | Buffer): void
  /** Creates a remote file, or a folder if there is no content, below the root; returns its ID. */
  make(title: string, content?: string, parent?: string): Promise<string>
  /** Runs a command that must end with 0. */
  drv(...argv: string[]): Promise<Result>
}

/** The exit code of a complete run. */
export function codeOf({endsAfter}: Pick<Story, 'endsAfter'>): number {
  return endsAfter === undefined ? 0 : 130
}

/** How the command of a story runs. */
export function runOf(
  {env, files}: Pick<Stage, 'env' | 'files'>,
  {input, endsAfter}: Pick<Story, 'input' | 'endsAfter'>,
): RunOptions {
  const when = (stderr: string) => endsAfter !== undefined && stderr.includes(endsAfter)
  return {
    ...{env, cwd: files},
    ...(input !== undefined && {input}),
    ...(endsAfter !== undefined && {ending: {signal: 'SIGINT', when}}),
  }
}
