import {Flags, type Interfaces} from '@oclif/core'
import {formats} from '#lib/cli/output/formats.js'
import {GLOBAL_FLAGS, type GlobalFlag} from '#lib/cli/output/global-flags.js'

/** oclif's flags of every command. */
export const baseFlags = flagsOf(
  Object.entries(GLOBAL_FLAGS).filter(([, {isOfOperations}]) => !isOfOperations),
)

/** oclif's flags of every command that is one operation. */
export const operationBaseFlags = flagsOf(
  Object.entries(GLOBAL_FLAGS).map(([name, flag]) => [
    name,
    {...flag, summary: flag.operationSummary ?? flag.summary},
  ]),
)

function flagsOf(
  flags: ReadonlyArray<readonly [name: string, flag: GlobalFlag]>,
): Interfaces.FlagInput {
  const all = flags.map(([name, {type, char, summary, helpValue}]) => {
    const shown = {summary, char: char as 'n' | undefined, helpGroup: 'GLOBAL'}
    if (type === 'boolean') return [name, Flags.boolean(shown)]
    const options = name === 'format' ? {options: Object.keys(formats)} : {}
    return [name, Flags.string({...shown, helpValue, ...options})]
  })
  return Object.fromEntries(all) as Interfaces.FlagInput
}
