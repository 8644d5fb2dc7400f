import type {Interfaces} from '@oclif/core'
import {readArgv} from '#lib/cli/terminal/read-argv.js'

/** The words of `drv api call`: what finds the method, and what belongs to the method's own command. */
export interface CallWords {
  /** The method's name, and flags that say where to look and what to tell of it. */
  readonly finding: readonly string[]
  /** All but the method's name. */
  readonly calling: readonly string[]
}

/** Of results, which the method's command writes. */
const OF_RESULTS = ['jq', 'columns']

/**
 * Splits the words, of which only `flags` are known before the method is. Its name is the first word
 * that is no flag and no value of a known one: parameters come behind it.
 */
export function splitCall(argv: readonly string[], flags: Interfaces.FlagInput): CallWords {
  const finding: string[] = []
  const calling: string[] = []
  let method: string | undefined
  for (const {kind, words, names, isKnown} of readArgv(argv, flags)) {
    if (kind === 'argument' && method === undefined && words[0] !== '-') {
      method = words[0]
      continue
    }
    if (isKnown && !names.some(name => OF_RESULTS.includes(name))) finding.push(...words)
    calling.push(...words)
  }
  return {finding: method === undefined ? finding : [method, ...finding], calling}
}
