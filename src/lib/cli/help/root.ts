import {displayWidth, pad, wrap} from '../output/width.js'

/**
 * What a person reads who asks for help without saying with what, or with a topic that is no command.
 * The help of commands is oclif's.
 */

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

/** A command of one word, or a topic, with what it is for. */
export interface Listed {
  readonly name: string
  readonly words: string
}

/** A line narrower than that has no room for a name and what it is for. */
const LEAST_WIDTH = 40
/** Where more is of no help to the eye. */
const MOST_WIDTH = 100
const INDENT = '  '

/** The help of `drv` itself, on one screen of 80 columns and 40 lines. */
export function rootHelp(
  {commands, topics}: {readonly commands: readonly Listed[]; readonly topics: readonly Listed[]},
  columns: number,
): string {
  const width = lineWidth(columns)
  const everyDay = EVERY_DAY.flatMap(name => commands.find(command => command.name === name) ?? [])
  const others = [
    ...topics.filter(({name}) => !OF_OPERATIONS.includes(name)),
    ...commands.filter(command => !everyDay.includes(command)),
  ].sort((one, other) => (one.name < other.name ? -1 : 1))
  const names = Math.max(...[...everyDay, ...others].map(({name}) => name.length))
  const rows = (listed: readonly Listed[]) =>
    listed.flatMap(({name, words}) => row(pad(name, names), words, width))
  const operations = topics.map(({name}) => name).filter(name => OF_OPERATIONS.includes(name))
  return [
    'Cloud files from a terminal, a script or a CI job: drv COMMAND [WORDS] [FLAGS]',
    '',
    'EVERY DAY',
    ...rows(everyDay),
    '',
    'A COMMAND FOR EACH OPERATION OF THE SERVICE, such as drv files trash',
    ...wrap(operations.join(' '), width - INDENT.length).map(line => INDENT + line),
    '',
    'MORE',
    ...rows(others),
    '',
    ...wrap('drv COMMAND --help tells all of a command, drv TOPIC what is in a topic.', width),
  ]
    .map(line => `${line}\n`)
    .join('')
}

/** How long lines may be in a terminal of so many columns. */
export function lineWidth(columns: number): number {
  return Math.max(LEAST_WIDTH, Math.min(columns, MOST_WIDTH))
}

/** A name and what it is for, with what does not fit below. */
function row(name: string, words: string, width: number): string[] {
  const head = `${INDENT}${name}${INDENT}`
  const [first = '', ...more] = wrap(words, width - displayWidth(head))
  return [head + first, ...more.map(line => ' '.repeat(head.length) + line)]
}
