import {type Entry, entryLines, section, textOfLines} from '#lib/cli/terminal/layout.js'
import {wrap} from '#lib/cli/terminal/width.js'
import type {Manifest} from './manifest.js'

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
