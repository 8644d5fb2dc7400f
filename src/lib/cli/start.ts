import {readFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {type Command, type Interfaces, execute, settings} from '@oclif/core'

/** The classes of all commands by their oclif names: `files:trash`. Each is loaded when it is read. */
export type CommandTable = Readonly<Record<string, Command.Class>>

/**
 * Runs the command line. `bundle` is the file that holds everything; it exports `unknownCommand`.
 *
 * oclif would search the disk for plugins and commands, and sort them by the rules of a language,
 * which takes longer than all the rest. What there is stands in the manifest.
 */
export async function start(commands: CommandTable, bundle: string): Promise<void> {
  const root = dirname(dirname(bundle))
  const pjson = readJson<Interfaces.PJSON>(join(root, 'package.json'))
  const manifest = readJson<Interfaces.Manifest>(join(root, 'oclif.manifest.json'))
  const {name, version} = pjson
  const load = async (id: string) => Object.assign(commands[id]!, {id, plugin})
  const plugin: Interfaces.Plugin = {
    _base: `${name}@${version}`,
    alias: name,
    name,
    version,
    root,
    pjson,
    options: {root, pjson, isRoot: true},
    type: 'core',
    moduleType: 'commonjs',
    isRoot: true,
    valid: true,
    hasManifest: true,
    commandsDir: undefined,
    commandIDs: Object.keys(manifest.commands),
    commands: Object.entries(manifest.commands).map(([id, command]) => ({
      ...command,
      pluginAlias: name,
      pluginType: 'core',
      load: () => load(id),
    })),
    topics: Object.entries(pjson.oclif.topics ?? {}).map(([topic, {description}]) => ({
      name: topic,
      description,
    })),
    hooks: {command_not_found: [{target: bundle, identifier: 'unknownCommand'}]},
    findCommand: load,
    load: async () => {},
  }
  // Else NODE_ENV=development has oclif look for TypeScript.
  settings.enableAutoTranspile = false
  await execute({loadOptions: {root, plugins: new Map([[name, plugin]])}})
}

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(file, 'utf8')) as T
}
