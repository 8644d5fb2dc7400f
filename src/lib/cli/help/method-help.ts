import type {Command} from '@oclif/core'
import {commandHelp, type Look} from './command-help.js'
import type {ManifestCommand, ManifestFlag} from './manifest.js'

/** Help of commands that are made when they are called, which the manifest does not have. */

/** The help of the command of a method, `drive.files.list`, as that of others. */
export function methodHelp(method: string, command: typeof Command, look: Look): string {
  const named = <T extends object>(all: Record<string, T>) =>
    Object.fromEntries(Object.entries(all).map(([name, one]) => [name, {...one, name}]))
  const {summary, description, usage, examples, state} = command
  const {effect} = command as unknown as Pick<ManifestCommand, 'effect'>
  return commandHelp(
    {
      id: `api:call:${method}`,
      ...{summary, description, usage, state, examples, effect},
      args: named(command.args),
      flags: named({...command.flags, ...command.baseFlags}) as Readonly<
        Record<string, ManifestFlag>
      >,
    } as ManifestCommand,
    look,
  )
}
