import type {Interfaces} from '@oclif/core'
import {BaseCommand} from './base-command.js'
import {baseFlagsOf} from './read-line.js'
import {type AnyVerb, examplesOf, type Verb} from './verb-description.js'

type Args = Interfaces.ArgInput
type Flags = Interfaces.FlagInput

/** Makes a verb an oclif command: a separate class for each, because oclif sets its ID. */
export function verb<A extends Args = Record<never, never>, F extends Flags = Record<never, never>>(
  described: Verb<A, F>,
) {
  return class VerbCommand extends BaseCommand {
    static override summary = described.summary
    static override description = described.description
    static override usage = described.usage
    static override examples = examplesOf(described.examples)
    static override args = described.args ?? {}
    static override flags: Flags = described.flags ?? {}
    static override baseFlags = baseFlagsOf(described)
    static override strict = described.strict ?? true
    static override state = described.state
    static override hiddenAliases = [...(described.aliases ?? [])]
    static override effect = described.effect
    static everyDay = described.everyDay

    protected override readonly verb = described as unknown as AnyVerb
  }
}
