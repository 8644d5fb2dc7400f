import {commandHelp, type Look} from './command-help.js'
import type {Manifest, ManifestCommand} from './manifest.js'
import {pageHelp} from './page-help.js'
import {pages} from './pages/all.js'
import type {Page} from './pages/page.js'
import {rootHelp} from './root.js'
import {topicHelp} from './topic-help.js'

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
