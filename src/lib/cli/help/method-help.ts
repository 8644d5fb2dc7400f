import {optional} from '#lib/cli/input/items/several.js'
import {type AnyVerb, examplesOf} from '#lib/cli/run/verb-description.js'
import {commandHelp, type HelpLayout} from './command-help.js'
import type {ManifestFlag} from './manifest.js'

/** Help for commands created at run time, which are not in the manifest. */

/** The help of a method such as `drive.files.list`. */
export function methodHelp(method: string, verb: AnyVerb, look: HelpLayout): string {
  const named = <T extends object>(all: Record<string, T>) =>
    Object.fromEntries(Object.entries(all).map(([name, one]) => [name, {...one, name}]))
  const {summary, description, usage, state, effect} = verb
  return commandHelp(
    {
      id: `api:call:${method}`,
      ...{summary, description, usage, state, effect},
      examples: examplesOf(verb.examples),
      // Parameters of the URL path can also be given as flags.
      args: named(optional(verb.args ?? {})),
      flags: named({...verb.flags, ...verb.baseFlags}) as Readonly<Record<string, ManifestFlag>>,
    },
    look,
  )
}
