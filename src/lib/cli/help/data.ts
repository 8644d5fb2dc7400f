import type {Row} from '#lib/cli/output/format.js'
import {variableOf} from '#lib/cli/output/global-flags.js'
import {exitCodes, type ExitName, exitWords} from '#lib/cli/terminal/exit-codes.js'
import {shownName} from '#lib/cli/terminal/read-argv.js'
import {inOrderOfUse, lineOf, shownArguments} from './command-entries.js'
import {commandUsage} from './command-help.js'
import type {HelpSubject} from './help-text.js'
import type {Manifest, ManifestCommand, ManifestFlag} from './manifest.js'
import {environmentVariables} from './pages.js'

/** Help as data, for programs: the output of `drv help --json`. Pure. */
export function dataOf(subject: HelpSubject, manifest: Manifest): Row {
  switch (subject.kind) {
    case 'all':
      return surfaceOf(manifest)
    case 'command':
      return commandData(subject.command)
    case 'topic': {
      const {topics, commands} = surfaceOf(manifest)
      const topic = subject.name.replaceAll(':', ' ')
      const isIn = ({name}: {readonly name: string}) => name.startsWith(`${topic} `)
      return {
        name: topic,
        summary: manifest.topics[subject.name],
        topics: topics.filter(isIn),
        commands: commands.filter(isIn),
      }
    }
    case 'page': {
      const {name, title, blocks} = subject.page
      return {name, title, blocks}
    }
  }
}

/** All topics, commands, global flags, environment variables and exit codes. */
function surfaceOf(manifest: Manifest) {
  const commands = Object.values(manifest.commands).filter(({hidden}) => !hidden)
  const any = commands.find(({flags = {}}) => flags.plan?.hidden !== true)
  return {
    version: manifest.version,
    topics: Object.entries(manifest.topics).map(([id, summary]) => ({
      name: id.replaceAll(':', ' '),
      summary,
    })),
    globalFlags: flagsOf(any!, flag => flag.helpGroup === 'GLOBAL' && flag.name !== 'curl'),
    commands: commands.map(commandData),
    environment: environmentVariables.map(({name, words}) => ({name, description: words})),
    exitCodes: Object.entries(exitCodes).map(([name, code]) => ({
      code,
      name,
      description: exitWords[name as ExitName],
    })),
  }
}

/** One command as data, without the global flags, which are listed once. */
function commandData(command: ManifestCommand) {
  const {id, effect, summary = '', description = '', state, examples = []} = command
  const name = id.replaceAll(':', ' ')
  return {
    name,
    summary,
    description,
    usage: commandUsage(command),
    deprecated: state === 'deprecated',
    isMutating: effect !== 'reads',
    canBeTakenBack: CAN_BE_TAKEN_BACK[effect],
    arguments: shownArguments(command).map(
      ({name, description = '', required = false, multiple = false, options = null}) => {
        return {
          name: shownName(name),
          description,
          required,
          repeated: multiple,
          values: options,
        }
      },
    ),
    flags: flagsOf(command, flag => flag.helpGroup !== 'GLOBAL' || flag.name === 'curl'),
    examples: examples.map(example => ({purpose: example.description, line: lineOf(example)})),
  }
}

/** Values of `canBeTakenBack`; `null` if the command changes nothing. */
const CAN_BE_TAKEN_BACK = {
  reads: null,
  changes: 'yes',
  'may destroy': 'sometimes',
  destroys: 'no',
} as const

function flagsOf({flags = {}}: ManifestCommand, isWanted: (flag: ManifestFlag) => boolean) {
  return inOrderOfUse(Object.values(flags).filter(isWanted)).map(flag => {
    const {name, char, summary = '', options, required = false, multiple = false} = flag
    return {
      name: `--${name}`,
      short: char ? `-${char}` : null,
      type: typeOf(flag),
      value: flag.helpValue ?? null,
      values: options ?? null,
      description: summary,
      required,
      repeated: multiple,
      canBeTurnedOff: flag.allowNo ?? false,
      setsField: flag.helpGroup === 'BODY',
      variable: VARIABLES.has(variableOf(name)) ? variableOf(name) : null,
    }
  })
}

const VARIABLES = new Set(environmentVariables.map(({name}) => name))

/** The type of a flag's value. */
function typeOf({type, helpValue}: ManifestFlag): 'boolean' | 'integer' | 'number' | 'string' {
  if (type === 'boolean') return 'boolean'
  return helpValue === 'N' ? 'integer' : helpValue === 'SECONDS' ? 'number' : 'string'
}
