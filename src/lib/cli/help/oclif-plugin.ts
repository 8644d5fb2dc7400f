import type {Command, Interfaces} from '@oclif/core'
import {readCommandIndex} from './manifest.js'

/** The command classes by ID; each is loaded on first use. */
export type CommandClasses = Readonly<Record<string, Command.Class>>

/**
 * Describes drv to oclif: the commands from the index, their classes from the bundle. Without it, oclif
 * parses the whole manifest at each start.
 */
export function pluginFor(
  root: string,
  pjson: Interfaces.PJSON,
  classes: CommandClasses,
): Interfaces.Plugin {
  const {name, version, oclif} = pjson
  const findCommand = (id: string) => {
    const command = classes[id]!
    command.id = id
    command.plugin = plugin
    return Promise.resolve(command)
  }
  const commands = readCommandIndex(root).map((command): Command.Loadable => ({
    ...command,
    hidden: command.hidden ?? false,
    // `start` has put the command in the place of an alias.
    hiddenAliases: [],
    flags: {},
    load: () => findCommand(command.id),
    pluginAlias: name,
    pluginType: 'core',
  }))
  const plugin: Interfaces.Plugin = {
    _base: name,
    alias: name,
    commandIDs: commands.map(({id}) => id),
    commands,
    commandsDir: undefined,
    findCommand,
    hasManifest: true,
    hooks: Object.fromEntries(
      Object.entries(oclif.hooks ?? {}).map(([event, hook]) => [event, [hook].flat()]),
    ) as Interfaces.Plugin['hooks'],
    isRoot: true,
    load: () => Promise.resolve(),
    moduleType: 'module',
    name,
    options: {root},
    pjson,
    root,
    topics: Object.entries(oclif.topics ?? {}).map(([topic, about]) => ({...about, name: topic})),
    type: 'core',
    valid: true,
    version,
  }
  return plugin
}
