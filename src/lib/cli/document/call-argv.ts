import type {Interfaces} from '@oclif/core'

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
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at]!
    if (word === '--') {
      calling.push(...argv.slice(at))
      break
    }
    const flag = flagOf(word, flags)
    const length = flag && flags[flag]!.type === 'option' && isBare(word) ? 2 : 1
    const words = argv.slice(at, at + length)
    at += length - 1
    if (flag !== undefined) {
      if (!OF_RESULTS.includes(flag)) finding.push(...words)
      calling.push(...words)
    } else if (method === undefined && !word.startsWith('-')) method = word
    else calling.push(word)
  }
  return {finding: method === undefined ? finding : [method, ...finding], calling}
}

/** The flag that a word is, with or without a value in it. */
function flagOf(word: string, flags: Interfaces.FlagInput): string | undefined {
  const long = /^--([\w-]+)(?:=.*)?$/s.exec(word)?.[1]
  if (long !== undefined) {
    return Object.keys(flags).find(
      name => name === long || (flags[name]!.aliases ?? []).includes(long),
    )
  }
  const short = /^-([a-zA-Z])$/.exec(word)?.[1]
  return short && Object.keys(flags).find(name => flags[name]!.char === short)
}

function isBare(word: string): boolean {
  return !word.includes('=')
}
