import {entriesLines, type Entry, indented, section, textOfLines} from '#lib/cli/terminal/layout.js'
import {wrap} from '#lib/cli/terminal/width.js'
import type {Manifest} from './manifest.js'
import {pages} from './pages/all.js'

/** What a person reads who asks for help without saying with what. */

/** What is typed every day, in the order of a day. */
const EVERY_DAY = [
  ...['ls', 'tree', 'find', 'stat', 'du', 'cat', 'mkdir', 'cp', 'mv', 'rm'],
  ...['share', 'unshare', 'open', 'url', 'push', 'pull'],
]

/** Topics with a command for each operation of the service. */
const OF_OPERATIONS = [
  ...['about', 'apps', 'changes', 'channels', 'children', 'drives', 'files', 'parents'],
  ...['permissions', 'properties', 'revisions'],
]

/** The help of `drv` itself, on one screen of 80 columns and 40 lines. Pure. */
export function rootHelp(manifest: Manifest, width: number): string {
  const commands = Object.entries(manifest.commands)
    .filter(([id, {hidden}]) => !id.includes(':') && !hidden)
    .map(([name, {summary = ''}]): Entry => ({name, words: summary}))
  const topics = Object.entries(manifest.topics)
    .filter(([id]) => !id.includes(':'))
    .map(([name, words]): Entry => ({name, words}))
  const everyDay = EVERY_DAY.flatMap(name => commands.find(command => command.name === name) ?? [])
  const others = [
    ...topics.filter(({name}) => !OF_OPERATIONS.includes(name)),
    ...commands.filter(command => !everyDay.includes(command)),
  ].sort((one, other) => (one.name < other.name ? -1 : 1))
  const operations = topics.map(({name}) => name).filter(name => OF_OPERATIONS.includes(name))
  const lines = entriesLines([...everyDay, ...others], width)
  return textOfLines([
    ...wrap(
      'Cloud files from a terminal, a script or a CI job: drv COMMAND [WORDS] [FLAGS]',
      width,
    ),
    ...section('EVERY DAY', lines.slice(0, everyDay.length).flat()),
    '',
    ...wrap('A COMMAND FOR EACH OPERATION OF THE SERVICE, such as drv files trash', width),
    ...indented(operations.join(' '), width),
    ...section('MORE', lines.slice(everyDay.length).flat()),
    '',
    ...wrap('drv COMMAND --help tells of a command, drv TOPIC what is in a topic;', width),
    ...wrap(`drv help ${pages.map(({name}) => name).join(', ')} of what all share.`, width),
  ])
}
