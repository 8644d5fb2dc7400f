// Writes oclif.manifest.json, which describes every command, for help and completion; dist/commands.json, the
// small part that every start needs; and dist/columns.json, the columns of the records, for completion.
import {writeFileSync} from 'node:fs'
import {resolve} from 'node:path'
import {Plugin} from '@oclif/core'
import {load} from '../dist/start.cjs'

const {bundle} = load(resolve('dist/drv.cjs'))

const plugin = new Plugin({
  root: process.cwd(),
  type: 'core',
  ignoreManifest: true,
  errorOnManifestCreate: true,
  respectNoCacheDefault: true,
})
await plugin.load()
const {commands, version} = plugin.manifest

/** oclif omits the position of a flag in help, so it is added here. */
for (const [id, {flags}] of Object.entries(commands)) {
  for (const [name, {rank}] of Object.entries(bundle.commands[id].flags)) flags[name].rank = rank
}

/** Every start reads the whole file, so flags that are false by default are omitted. */
const isOff = (key, value) =>
  value === false && ['allowNo', 'hasDynamicHelp', 'multiple'].includes(key)
const line = ([id, command]) =>
  `${JSON.stringify(id)}:${JSON.stringify(command, (key, value) => (isOff(key, value) ? undefined : value))}`
const sorted = Object.entries(commands).sort(([a], [b]) => (a < b ? -1 : 1))
writeFileSync(
  'oclif.manifest.json',
  `{"version":${JSON.stringify(version)},"commands":{\n${sorted.map(line).join(',\n')}\n}}\n`,
)

/** In the order of oclif; values that most commands share are omitted. */
const index = Object.values(commands)
  .sort((a, b) => a.id.localeCompare(b.id))
  .map(({id, summary, hidden, everyDay, strict, aliases, hiddenAliases, args}) => {
    const names = Object.keys(args).map(name => [name, {name}])
    const some = list => (list.length > 0 ? list : undefined)
    const others = {aliases: some(aliases), hiddenAliases: some(hiddenAliases)}
    const own = {id, summary, hidden, everyDay, ...(strict === false && {strict}), ...others}
    return {...own, args: Object.fromEntries(names)}
  })
writeFileSync(
  'dist/commands.json',
  `[\n${index.map(entry => JSON.stringify(entry)).join(',\n')}\n]\n`,
)

/** Lists that several commands share are stored once; the commands refer to them by number. */
const lists = []
const columns = {}
for (const id of Object.keys(commands).sort()) {
  const names = new bundle.commands[id]([], plugin.config).columnNames()
  if (names.length === 0) continue
  const list = JSON.stringify(names)
  if (!lists.includes(list)) lists.push(list)
  columns[id] = lists.indexOf(list)
}
writeFileSync(
  'dist/columns.json',
  `{"names":[\n${lists.join(',\n')}\n],"commands":${JSON.stringify(columns)}}\n`,
)
