import {Args} from '@oclif/core'
import type {Context} from '#lib/cli/context/context.js'
import {didYouMean} from '#lib/cli/input/unknown-names.js'
import type {Printer} from '#lib/cli/run/printer.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {lockConfig, readConfig, writeConfig} from '#lib/config/config.js'
import {CONFIG_OPTIONS, type ConfigOption, configOption} from '#lib/config/options.js'
import {requiredDirectory} from '#lib/config/paths.js'

/** Shared code of `drv config`. */

export const optionArg = {
  key: Args.string({
    description: 'Name of the option.',
    required: true,
    ignoreStdin: true,
    options: CONFIG_OPTIONS.map(({name}) => name),
  }),
}

/** An option by name. Throws `UsageError` for an unknown one. */
export function optionNamed(name: string): ConfigOption {
  const option = configOption(name)
  if (option) return option
  const names = CONFIG_OPTIONS.map(({name}) => name)
  throw new UsageError(
    `Unknown option ${name}.`,
    didYouMean(name, names, 'To see all options, run `drv config list`.'),
  )
}

/** Sets an option, or unsets it without a text. Throws `UsageError` for an invalid value. */
export async function changeOption(
  {directories}: Pick<Context, 'directories'>,
  printer: Printer,
  option: ConfigOption,
  text: string | undefined,
): Promise<void> {
  const {name: key, allowed, fallback} = option
  const directory = requiredDirectory('config', directories)
  if (option.write({profiles: {}}, text) === undefined) {
    throw new UsageError(`Invalid ${key}: must be ${allowed}, not "${text}".`)
  }
  if (await printer.preview(text === undefined ? 'unset' : 'set', key)) return
  await lockConfig(directory, async () => {
    await writeConfig(directory, option.write(await readConfig(directory), text)!)
  })
  if (printer.isStructured) await printer.record({key, value: text ?? fallback})
}
