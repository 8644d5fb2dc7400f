import {describe, expect, test} from 'vitest'
import {flagEntry} from '#lib/cli/help/command-entries.js'
import {commandHelp} from '#lib/cli/help/command-help.js'
import {pageHelp, rootHelp, topicHelp} from '#lib/cli/help/help-text.js'
import {pages} from '#lib/cli/help/pages.js'
import {displayWidth} from '#lib/cli/terminal/width.js'
import {manifest} from './installed.js'

/** Every help text fits and is complete at every width. */

const commands = Object.values(manifest.commands)
const topics = Object.keys(manifest.topics)

/** All help texts by name. */
function texts(width: number): Array<readonly [name: string, text: string]> {
  const look = {width, isWhole: false}
  return [
    ['drv', rootHelp(manifest, width)],
    ...topics.map(topic => [topic, topicHelp(topic, manifest, width)] as const),
    ...commands.map(command => [command.id, commandHelp(command, look)] as const),
    ...commands.map(
      command => [`all of ${command.id}`, commandHelp(command, {width, isWhole: true})] as const,
    ),
    ...pages.map(page => [page.name, pageHelp(page, width)] as const),
  ]
}

test('each fits a screen of 80 columns and 40 lines, including the prompt', () => {
  for (const [name, text] of texts(80)) {
    if (name.startsWith('all of')) continue
    expect(text.trimEnd().split('\n').length, name).toBeLessThanOrEqual(39)
  }
})

test.each([40, 60, 80, 100])('no line is longer than a terminal of %i columns', width => {
  for (const [name, text] of texts(width)) {
    const long = text.split('\n').filter(line => displayWidth(line) > width)
    // Quoted text and single words such as URLs are not broken.
    const isWhole = (line: string) =>
      width < 80 && (/["']/.test(line) || !/\S \S/.test(line.replace(/ \\$/, '')))
    const broken = long.filter(line => !isWhole(line))
    expect(broken, name).toEqual([])
  }
})

test('the root help lists every one-word command, every topic and every page', () => {
  const text = rootHelp(manifest, 80)
  const words = [...commands.map(({id}) => id), ...topics].filter(id => !id.includes(':'))
  for (const word of [...words, ...pages.map(({name}) => name)]) {
    expect(text).toMatch(new RegExp(`(^|\\s)${word}(\\s|,|$)`, 'm'))
  }
})

test('the help of a topic lists all its commands and topics', () => {
  for (const {id, hidden} of commands) {
    const topic = id.split(':').slice(0, -1).join(':')
    if (topic === '' || hidden) continue
    expect(topicHelp(topic, manifest, 80)).toContain(`  ${id.replaceAll(':', ' ')}  `)
  }
  expect(topicHelp('local', manifest, 80)).toContain('  local user  ')
})

describe('a command', () => {
  test('lists each of its flags, and describes all of them with --help-all', () => {
    for (const command of commands) {
      const few = commandHelp(command, {width: 80, isWhole: false})
      const all = commandHelp(command, {width: 400, isWhole: true})
      for (const flag of Object.values(command.flags ?? {})) {
        const named = new RegExp(`--(\\[no-\\])?${flag.name}(\\s|$)`, 'm')
        if (flag.hidden) {
          // An example can show the flag of another command.
          expect(all, command.id).not.toMatch(new RegExp(`^ +(-., +)?--${flag.name}\\b`, 'm'))
          continue
        }
        if (flag.helpGroup !== 'GLOBAL') expect(few, `${command.id} ${flag.name}`).toMatch(named)
        expect(all, `${command.id} ${flag.name}`).toContain(flagEntry(flag, false).words)
      }
    }
  })

  test('has one to five examples, in full', () => {
    for (const command of commands) {
      const {examples = []} = command
      expect(examples.length, command.id).toBeGreaterThan(0)
      expect(examples.length, command.id).toBeLessThanOrEqual(5)
    }
  })

  test('shows its own flags in the order of use, the global ones on one line', () => {
    const {'files:list': list} = manifest.commands
    const text = commandHelp(list!, {width: 80, isWhole: false})
    const order = ['--all', '--limit', '--q', '--order-by', '--corpora', '--quota-user']
    const places = order.map(name => text.indexOf(name, text.indexOf('\nFLAGS')))
    expect(places).toEqual(places.toSorted((one, other) => one - other))
    expect(places).not.toContain(-1)
    expect(text).toMatch(/\nGLOBAL FLAGS\n  -J\/--json .*\n\n/)
  })

  test('says if it is deprecated', () => {
    const text = commandHelp(
      {id: 'old', summary: 'An old way.', effect: 'changes' as const, state: 'deprecated'},
      look,
    )
    expect(text.split('\n')[0]).toRead()
  })

  const look = {width: 80, isWhole: false}
})
