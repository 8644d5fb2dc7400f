import {
  entriesLines,
  entryLines,
  INDENT,
  paragraphs,
  section,
  textOfLines,
  wrapIndented,
} from '#lib/cli/terminal/layout.js'
import {argumentWord} from '#lib/cli/terminal/read-argv.js'
import {displayWidth, wrap} from '#lib/cli/terminal/width.js'
import {
  argumentEntry,
  exampleLines,
  flagEntry,
  inOrderOfUse,
  isRare,
  shownArguments,
  spelling,
  valueOf,
} from './command-entries.js'
import type {ManifestCommand, ManifestFlag} from './manifest.js'

/** Lines of a screen, without the line of the shell prompt. */
const SCREEN = 39

/** The size of a help text. */
export interface HelpLayout {
  /** Columns. */
  readonly width: number
  /** Show every flag in full; otherwise as many as fit on a screen, and the names of the rest. */
  readonly isWhole: boolean
}

/** The help of a command, on one screen of 80 columns and 40 lines unless `isWhole`. Pure. */
export function commandHelp(command: ManifestCommand, {width, isWhole}: HelpLayout): string {
  const {summary = '', examples = [], state} = command
  const head = [
    ...wrap(`${state === 'deprecated' ? 'Deprecated. ' : ''}${summary}`, width),
    ...section('USAGE', usageLines(command, width)),
    ...section('EXAMPLES', examples.length === 0 ? [] : exampleLines(examples, width)),
    ...section('ARGUMENTS', entryLines(shownArguments(command).map(argumentEntry), width)),
  ]
  const flags = inOrderOfUse(Object.values(command.flags ?? {}))
  return textOfLines(
    isWhole
      ? [...head, ...allFlags(flags, width), ...proseLines(command.description, width)]
      : onOneScreen(head, flags, command, width),
  )
}

function proseLines(description: string | undefined, width: number): string[] {
  return section('DESCRIPTION', description ? paragraphs(description, width) : [])
}

/**
 * Adds to `head` as much as fits on a screen: all flags in full and all prose; otherwise the important
 * flags in few words and the names of the rest; otherwise less prose, and finally no global flags and
 * fewer flags.
 */
function onOneScreen(
  head: readonly string[],
  flags: readonly ManifestFlag[],
  command: ManifestCommand,
  width: number,
): readonly string[] {
  const {description = ''} = command
  const own = flags.filter(flag => !isGlobal(flag))
  const matter = own.filter(flag => !isRare(flag)).length
  const footer = footerLines(flags.filter(isGlobal), command, width)
  const [first = ''] = description.split('\n\n')
  const lines = {
    whole: flagLines(own, matter, words => words, width),
    brief: flagLines(own, matter, brief, width),
  }
  const layout = (count: number, kind: keyof typeof lines, prose: string, end = footer) => [
    ...head,
    ...section('FLAGS', [
      ...lines[kind].slice(0, count).flat(),
      ...nameLines(own.slice(count), width, count === 0 ? '' : 'Also: '),
    ]),
    ...proseLines(prose, width),
    ...end,
  ]
  for (const prose of [description, first, '']) {
    for (const kind of ['whole', 'brief'] as const) {
      for (let count = own.length; count >= matter; count -= 1) {
        const screen = layout(count, kind, prose)
        if (screen.length <= SCREEN) return screen
      }
    }
  }
  const short = footerLines([], command, width)
  let count = matter
  while (count > 0 && layout(count, 'brief', '', short).length > SCREEN) count -= 1
  return layout(count, 'brief', '', short)
}

/** The usage line: the command's own, or its name, arguments and required flags. */
export function commandUsage(command: ManifestCommand): string {
  const {id, usage, flags = {}} = command
  if (usage !== undefined) return `drv ${usage}`
  const required = Object.values(flags).filter(({required}) => required)
  return [
    'drv',
    ...id.split(':'),
    ...shownArguments(command).map(argumentWord),
    ...required.map(flag => `--${flag.name} ${valueOf(flag)}`),
    '[FLAGS]',
  ].join(' ')
}

function usageLines(command: ManifestCommand, width: number): string[] {
  return wrapIndented(commandUsage(command), width).map((line, at) =>
    at === 0 ? line : INDENT + line,
  )
}

const isGlobal = ({helpGroup}: ManifestFlag) => helpGroup === 'GLOBAL'

/** Every flag in full, in sections. */
function allFlags(flags: readonly ManifestFlag[], width: number): string[] {
  const of = (...groups: ReadonlyArray<string | undefined>) => {
    const own = flags.filter(({helpGroup}) => groups.includes(helpGroup))
    const hasShort = own.some(({char}) => char)
    const entries = own.map(flag => {
      const entry = flagEntry(flag, hasShort)
      return {...entry, words: [entry.words, flag.description ?? ''].join('\n').trim()}
    })
    return entryLines(entries, width)
  }
  return [
    ...section('FLAGS', of('PATH', undefined)),
    ...section('METADATA FLAGS', of('BODY')),
    ...section('BATCH FLAGS', of('MANY')),
    ...section('GLOBAL FLAGS', of('GLOBAL')),
  ]
}

/** The lines of each flag. The first `matter` names decide the column of the descriptions. */
function flagLines(
  flags: readonly ManifestFlag[],
  matter: number,
  wording: (words: string) => string,
  width: number,
): string[][] {
  const hasShort = flags.some(({char}) => char)
  const entries = flags.map(flag => flagEntry(flag, hasShort))
  return entriesLines(
    entries.map(({name, words}) => ({name, words: wording(words)})),
    width,
    entries.slice(0, matter),
  )
}

function nameLines(flags: readonly ManifestFlag[], width: number, lead: string): string[] {
  if (flags.length === 0) return []
  return wrapIndented(lead + flags.map(({name}) => `--${name}`).join(' '), width)
}

/** The text up to its first detail: the first `;`, `.` or `:` outside parentheses. */
function brief(words: string): string {
  const [start = words] = /^(?:\([^)]*\)|[^(])*?(?=(?:, such as)?[;.:] )/.exec(words) ?? []
  return start.endsWith('.') ? start : `${start}.`
}

/** The global flags, and the command that shows every flag. */
function footerLines(
  flags: readonly ManifestFlag[],
  {id}: ManifestCommand,
  width: number,
): string[] {
  const all = `Run \`drv ${id.replaceAll(':', ' ')} --help-all\` to see every flag.`
  return [
    ...section('GLOBAL FLAGS', globalLine(flags, width)),
    ...section('LEARN MORE', wrapIndented(all, width)),
  ]
}

/** The names of the global flags, as many as fit on a line. */
function globalLine(flags: readonly ManifestFlag[], width: number): string[] {
  const names = flags.map(spelling)
  const line = (count: number) =>
    INDENT + [...names.slice(0, count), ...(count < names.length ? ['…'] : [])].join(' ')
  let count = names.length
  while (count > 0 && displayWidth(line(count)) > width) count -= 1
  return names.length === 0 ? [] : [line(count)]
}
