import {
  entriesLines,
  entryLines,
  INDENT,
  type LabeledText,
  lineWidth,
  paragraphs,
  section,
  textOfLines,
  wrapIndented,
} from '#lib/cli/terminal/layout.js'
import {wrap} from '#lib/cli/terminal/width.js'
import {withoutAlias} from './command-alias.js'
import {breakLine} from './command-entries.js'
import {commandHelp, type HelpLayout} from './command-help.js'
import type {Manifest, ManifestCommand} from './manifest.js'
import {type Block, type HelpPage, pages} from './pages.js'

/** The help of `drv` itself, on one screen of 80 columns and 40 lines. Pure. */
export function rootHelp(manifest: Manifest, width: number): string {
  const {commands, topics, operationTopics} = manifest
  const entry = (name: string, words = ''): LabeledText => ({name, words})
  const verbs = Object.entries(commands).filter(([id, {hidden}]) => !id.includes(':') && !hidden)
  const everyDay = verbs
    .filter(([, {everyDay}]) => everyDay !== undefined)
    .sort(([, one], [, other]) => one.everyDay! - other.everyDay!)
    .map(([name, {summary}]) => entry(name, summary))
  const others = verbs.filter(([, {everyDay}]) => everyDay === undefined).map(([name]) => name)
  const groups = Object.entries(topics)
    .filter(([id]) => !id.includes(':') && !operationTopics.includes(id))
    .map(([name, words]) => entry(name, words))
  const lines = entriesLines([...everyDay, ...groups], width)
  return textOfLines([
    ...wrap('Work with cloud files from the command line: drv COMMAND [ARGUMENTS] [FLAGS]', width),
    ...section('EVERYDAY COMMANDS', lines.slice(0, everyDay.length).flat()),
    ...section('OTHER COMMANDS', wrapIndented(others.sort().join(' '), width)),
    ...section('API TOPICS', wrapIndented(operationTopics.join(' '), width)),
    ...section('TOPICS', lines.slice(everyDay.length).flat()),
    ...section('LEARN MORE', [
      ...wrapIndented('Run `drv COMMAND --help` or `drv TOPIC --help`.', width),
      ...wrapIndented(`Pages: drv help ${pages.map(({name}) => name).join(', ')}`, width),
    ]),
  ])
}

/** The help of a topic such as `local:user`: its summary, commands and topics. Pure. */
export function topicHelp(topic: string, manifest: Manifest, width: number): string {
  const below = (id: string) => id.startsWith(`${topic}:`)
  const isNext = (id: string) => below(id) && !id.slice(topic.length + 1).includes(':')
  const entry = (id: string, words = ''): LabeledText => ({name: id.replaceAll(':', ' '), words})
  const commands = Object.entries(manifest.commands)
    .filter(([id, {hidden}]) => isNext(id) && !hidden)
    .map(([id, {summary}]) => entry(id, summary))
  const topics = Object.entries(manifest.topics)
    .filter(([id]) => isNext(id))
    .map(([id, words]) => entry(id, words))
  const name = topic.replaceAll(':', ' ')
  return textOfLines([
    ...wrap(manifest.topics[topic] ?? '', width),
    ...section('COMMANDS', entryLines(commands, width)),
    ...section('TOPICS', entryLines(topics, width)),
    ...section('LEARN MORE', wrapIndented(`Run \`drv ${name} COMMAND --help\`.`, width)),
  ])
}

/** A help page, wrapped at `width` columns. Pure. */
export function pageHelp({title, blocks}: HelpPage, width: number): string {
  return textOfLines([...wrap(title, width), ...blocks.flatMap(block => blockLines(block, width))])
}

function blockLines(block: Block, width: number): string[] {
  if (typeof block === 'string') return ['', ...paragraphs(block, width)]
  if ('shell' in block) {
    const lines = block.shell.flatMap(line => breakLine(line, width - INDENT.length))
    return ['', ...lines.map(line => INDENT + line)]
  }
  const lines = entryLines(block.entries, width)
  return block.heading === undefined ? ['', ...lines] : section(block.heading, lines)
}

/** The subject of a help request. */

export type HelpSubject =
  | {readonly kind: 'all'}
  | {readonly kind: 'command'; readonly command: ManifestCommand}
  | {readonly kind: 'topic'; readonly name: string}
  | {readonly kind: 'page'; readonly page: HelpPage}

/**
 * The subject of the words after `drv help` or before `--help`: the command with the longest matching
 * name, a topic or a page; `undefined` if nothing matches. Pure.
 */
export function subjectOf(words: readonly string[], manifest: Manifest): HelpSubject | undefined {
  if (words.length === 0) return {kind: 'all'}
  const parts = words.flatMap(word => word.split(':'))
  for (let count = parts.length; count > 0; count -= 1) {
    const id = parts.slice(0, count).join(':')
    const command = Object.hasOwn(manifest.commands, id) ? manifest.commands[id] : undefined
    if (command) return {kind: 'command', command}
  }
  const line = withoutAlias(parts, Object.values(manifest.commands))
  if (line) return subjectOf(line, manifest)
  const whole = parts.join(':')
  if (Object.hasOwn(manifest.topics, whole)) return {kind: 'topic', name: whole}
  const page = pages.find(({name}) => name === whole)
  return page && {kind: 'page', page}
}

/** The help text for people. Pure. */
export function helpText(subject: HelpSubject, manifest: Manifest, look: HelpLayout): string {
  switch (subject.kind) {
    case 'all':
      return rootHelp(manifest, look.width)
    case 'command':
      return commandHelp(subject.command, look)
    case 'topic':
      return topicHelp(subject.name, manifest, look.width)
    case 'page':
      return pageHelp(subject.page, look.width)
  }
}

/** Writes a help text to standard output, wrapped at the terminal's width. */
export function showHelp(subject: HelpSubject, manifest: Manifest, isWhole: boolean): void {
  const width = lineWidth(process.stdout.columns)
  process.stdout.on('error', () => {})
  process.stdout.write(helpText(subject, manifest, {width, isWhole}))
}
