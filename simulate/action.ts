import type {Remote} from './remote.js'

/** The commands of the simulated machines, as data. */

/** A computer of a user, with a folder in the service that only its commands change. */
export interface Machine {
  readonly name: string
  /** The path of its folder in the service. */
  readonly area: string
  readonly env: Readonly<Record<string, string>>
  /** The folder that is pushed. */
  readonly work: string
  /** The folder that is pulled into. */
  readonly copy: string
  /** Other files of commands: tables, plans, checkpoints. */
  readonly files: string
  /** Whether its token comes from a sign-in, which may expire. */
  readonly signsIn?: boolean
  /** Whether writing may fail, because its disk is full. */
  readonly hasSmallDisk: boolean
}

/** A command and what it may do. */
export interface Action {
  readonly argv: readonly string[]
  readonly input?: string | Buffer
  /** The differences that exit code 0 promises. Every other end leaves any part of them. */
  readonly remote: readonly string[]
  /** The same for the folder that is pulled into: paths with MD5s, `undefined` for deleted ones. */
  readonly local?: ReadonlyMap<string, string | undefined>
  /** Other exit codes that are right. */
  readonly codes?: readonly number[]
  /** The same command again, with what is then missing. Repeated, it ends with 0 at last. */
  readonly repeat?: (remote: Remote) => Action
  /** The next command of the machine if this one ends with 0. */
  readonly then?: (remote: Remote) => Action
}

export interface Situation {
  readonly machine: Machine
  readonly remote: Remote
  readonly random: () => number
  /** A number that is used once in a world. */
  next(): number
  /** Writes a file for a command and returns its path. */
  file(name: string, text: string): string
}

/** Makes a command, if the situation allows it. */
export type Maker = (situation: Situation) => Action | undefined

/** Whom items are shared with. */
export const WHO = ['cleo@example.com', 'dora@example.com']

/** A random element. */
export function pick<T>({random}: Situation, some: readonly T[]): T | undefined {
  return some[Math.floor(random() * some.length)]
}
