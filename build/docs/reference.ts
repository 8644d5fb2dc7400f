import type {Effect} from '#lib/cli/guard/destroys.js'
import {
  argumentEntry,
  flagEntry,
  inOrderOfUse,
  shownArguments,
  lineOf,
} from '#lib/cli/help/command-entries.js'
import {commandUsage} from '#lib/cli/help/command-help.js'
import type {LabeledText} from '#lib/cli/terminal/layout.js'
import type {Manifest, ManifestCommand, ManifestFlag} from '#lib/cli/help/manifest.js'
import {type Block, type HelpPage, pages} from '#lib/cli/help/pages.js'

/**
 * The reference in Markdown, a page a topic, made from what the help is made from: the text of each
 * file by its path below `docs`.
 */
export function reference(manifest: Manifest): ReadonlyMap<string, string> {
  const topics = Object.entries(manifest.topics).filter(([id]) => !id.includes(':'))
  return new Map([
    ['commands/README.md', indexPage(manifest, topics)],
    ['commands/everyday.md', topicPage(EVERYDAY, 'What one types every day.', manifest)],
    ...topics.map(
      ([topic, words]) => [`commands/${topic}.md`, topicPage(topic, words, manifest)] as const,
    ),
    ...pages.map(page => [`help/${page.name}.md`, helpPage(page)] as const),
  ])
}

/** The page of the commands that have no topic. */
const EVERYDAY = 'everyday'

const MADE = '<!-- Made by `npm run docs`. -->\n'

function commandsOf(topic: string, {commands}: Manifest): ManifestCommand[] {
  const [isIn]: Array<(id: string) => boolean> =
    topic === EVERYDAY ? [id => !id.includes(':')] : [id => id.startsWith(`${topic}:`)]
  return Object.values(commands).filter(({id, hidden}) => isIn!(id) && !hidden)
}

function indexPage(manifest: Manifest, topics: ReadonlyArray<readonly [string, string]>): string {
  const [any] = Object.values(manifest.commands)
  const global = Object.values(any!.flags ?? {}).filter(({helpGroup}) => helpGroup === 'GLOBAL')
  const links = (all: ReadonlyArray<readonly [name: string, path: string, words: string]>) =>
    table(
      [' ', ' '],
      all.map(([name, path, words]) => [`[${name}](${path})`, words]),
    )
  return [
    MADE,
    '# All commands\n',
    links([
      ['ls, push, share, …', 'everyday.md', 'What one types every day.'],
      ...topics.map(([topic, words]) => [`drv ${topic}`, `${topic}.md`, words] as const),
    ]),
    '## What all commands share\n',
    links(pages.map(({name, title}) => [`drv help ${name}`, `../help/${name}.md`, title] as const)),
    '## Global flags\n',
    flagTable(global),
  ].join('\n')
}

function topicPage(topic: string, words: string, manifest: Manifest): string {
  return [
    MADE,
    `# ${topic === EVERYDAY ? 'Every day' : `drv ${topic}`}\n`,
    `${words} [Global flags](README.md#global-flags) go with every command.\n`,
    ...commandsOf(topic, manifest).map(commandSection),
  ].join('\n')
}

function commandSection(command: ManifestCommand): string {
  const {id, summary = '', description = '', examples = [], flags = {}, state, effect} = command
  const name = id.replaceAll(':', ' ')
  const own = Object.values(flags).filter(({helpGroup}) => helpGroup !== 'GLOBAL')
  const words = shownArguments(command).map(argumentEntry)
  return [
    `## drv ${name}\n`,
    `${[...(state === 'deprecated' ? ['**Deprecated.**'] : []), summary, ...effectWords(effect)].join(' ')}\n`,
    fenced('text', [commandUsage(command)]),
    ...(description === '' ? [] : [`${description}\n`]),
    fenced(
      'sh',
      examples.flatMap(example => [`# ${example.description}`, lineOf(example)]),
    ),
    ...(words.length === 0 ? [] : [entryTable('Argument', words)]),
    ...(own.every(({hidden}) => hidden) ? [] : [flagTable(own)]),
  ].join('\n')
}

function effectWords(effect: Effect): readonly string[] {
  switch (effect) {
    case 'reads':
      return ['It changes nothing.']
    case 'destroys':
      return ['Nothing brings back what it takes away.']
    case 'may destroy':
      return ['Nothing may bring back what it takes away.']
    default:
      return []
  }
}

function flagTable(flags: readonly ManifestFlag[]): string {
  return entryTable(
    'Flag',
    inOrderOfUse(flags).map(flag => flagEntry(flag, false)),
  )
}

function entryTable(head: string, entries: readonly LabeledText[]): string {
  return table(
    [head, ' '],
    entries.map(({name, words}) => [`\`${name}\``, words]),
  )
}

function helpPage({name, title, blocks}: HelpPage): string {
  return [
    MADE,
    `# ${title}\n`,
    `What \`drv help ${name}\` shows.\n`,
    ...blocks.map(blockText),
  ].join('\n')
}

function blockText(block: Block): string {
  if (typeof block === 'string') return `${block}\n`
  if ('shell' in block) return fenced('sh', block.shell)
  const {heading, entries} = block
  return (heading === undefined ? '' : `## ${sentenceCase(heading)}\n\n`) + entryTable(' ', entries)
}

function sentenceCase(heading: string): string {
  return heading.charAt(0) + heading.slice(1).toLowerCase()
}

function fenced(language: string, lines: readonly string[]): string {
  return `\`\`\`${language}\n${lines.join('\n')}\n\`\`\`\n`
}

/** A table; what parts cells is written so that it parts none within them. */
function table(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
  return [head, head.map(() => '---'), ...rows]
    .map(cells => `|${cells.map(text => ` ${cell(text)} `.replace(/^ +$/, ' ')).join('|')}|\n`)
    .join('')
}
