import {optional} from '#lib/cli/input/items/several.js'
import {type AnyVerb, examplesOf} from '#lib/cli/run/verb-description.js'
import {commandHelp, type Look} from './command-help.js'
import type {ManifestFlag} from './manifest.js'

/** Help of commands that are made when they are called, which the manifest does not have. */

/** The help of the command of a method, `drive.files.list`, as that of others. */
export function methodHelp(method: string, verb: AnyVerb, look: Look): string {
  const named = <T extends object>(all: Record<string, T>) =>
    Object.fromEntries(Object.entries(all).map(([name, one]) => [name, {...one, name}]))
  const {summary, description, usage, state, effect} = verb
  return commandHelp(
    {
      id: `api:call:${method}`,
      ...{summary, description, usage, state, effect},
      examples: examplesOf(verb.examples),
      // Flags name what is in the path as well.
      args: named(optional(verb.args ?? {})),
      flags: named({...verb.flags, ...verb.baseFlags}) as Readonly<Record<string, ManifestFlag>>,
    },
    look,
  )
}
