import {
  entriesLines,
  type Entry,
  entryLines,
  INDENT,
  indented,
  lineWidth,
  paragraphs,
  section,
  textOfLines,
} from '#lib/cli/terminal/layout.js'
import {wrap} from '#lib/cli/terminal/width.js'
import {withoutAlias} from './command-alias.js'
import {broken} from './command-entries.js'
import {commandHelp, type Look} from './command-help.js'
import type {Manifest, ManifestCommand} from './manifest.js'
import {type Block, type Page, pages} from './pages.js'

/** The help of `drv` itself, on one screen of 80 columns and 40 lines. Pure. */
export function rootHelp(manifest: Manifest, width: number): string {
  const {commands, topics, operationTopics} = manifest
  const entry = (name: string, words = ''): Entry => ({name, words})
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
    ...wrap(
      'Cloud files from a terminal, a script or a CI job: drv COMMAND [WORDS] [FLAGS]',
      width,
    ),
    ...section('EVERY DAY', lines.slice(0, everyDay.length).flat()),
    ...section('MORE COMMANDS', indented(others.sort().join(' '), width)),
    '',
    ...wrap('A COMMAND FOR EACH OPERATION OF THE SERVICE, such as drv files trash', width),
    ...indented(operationTopics.join(' '), width),
    ...section('MORE', lines.slice(everyDay.length).flat()),
    '',
    ...wrap('drv COMMAND --help tells of a command, drv TOPIC what is in a topic;', width),
    ...wrap(`drv help ${pages.map(({name}) => name).join(', ')} of what all share.`, width),
  ])
}

/** The help of a topic, `local:user`: what it is about, and its commands and topics. Pure. */
export function topicHelp(topic: string, manifest: Manifest, width: number): string {
  const below = (id: string) => id.startsWith(`${topic}:`)
  const isNext = (id: string) => below(id) && !id.slice(topic.length + 1).includes(':')
  const entry = (id: string, words = ''): Entry => ({name: id.replaceAll(':', ' '), words})
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
    '',
    ...wrap(`drv ${name} COMMAND --help tells of one of them.`, width),
  ])
}

/** A page of the help for a terminal of so many columns. Pure. */
export function pageHelp({title, blocks}: Page, width: number): string {
  return textOfLines([...wrap(title, width), ...blocks.flatMap(block => blockLines(block, width))])
}

function blockLines(block: Block, width: number): string[] {
  if (typeof block === 'string') return ['', ...paragraphs(block, width)]
  if ('shell' in block) {
    const lines = block.shell.flatMap(line => broken(line, width - INDENT.length))
    return ['', ...lines.map(line => INDENT + line)]
  }
  const lines = entryLines(block.entries, width)
  return block.heading === undefined ? ['', ...lines] : section(block.heading, lines)
}

/** What help there is for some words, and its text. */

export type Subject =
  | {readonly kind: 'all'}
  | {readonly kind: 'command'; readonly command: ManifestCommand}
  | {readonly kind: 'topic'; readonly name: string}
  | {readonly kind: 'page'; readonly page: Page}

/**
 * What words behind `drv help`, or before `--help`, are about: the longest name of a command that
 * they begin with, or a topic, or a page. `undefined` where they are none. Pure.
 */
export function subjectOf(words: readonly string[], manifest: Manifest): Subject | undefined {
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

/** The help as a person reads it. Pure. */
export function helpText(subject: Subject, manifest: Manifest, look: Look): string {
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

/** Writes a help to standard output, as wide as the terminal there. */
export function showHelp(subject: Subject, manifest: Manifest, isWhole: boolean): void {
  const width = lineWidth(process.stdout.columns)
  process.stdout.on('error', () => {})
  process.stdout.write(helpText(subject, manifest, {width, isWhole}))
}
