import {changesSomething} from '#lib/api/effects.js'
import type {Operation} from '#lib/api/operations.js'
import {destroys, lossOf} from './destroys.js'

/** What a command does to files, access and settings. */
export type Effect =
  /** It changes nothing. */
  | 'reads'
  /** It changes something, which another command can reverse. */
  | 'changes'
  /** It may delete something for good, which depends on the command line. */
  | 'may destroy'
  /** It deletes something for good. */
  | 'destroys'

/** The effect of an operation. */
export function effectOf(described: Operation): Effect {
  if (!changesSomething(described)) return 'reads'
  if (lossOf(described) === undefined) return 'changes'
  const isAlways = destroys(described, {params: {}}) === true
  return isAlways ? 'destroys' : 'may destroy'
}
