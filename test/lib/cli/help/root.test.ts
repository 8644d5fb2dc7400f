import {readFileSync} from 'node:fs'
import {expect, test} from 'vitest'
import {displayWidth} from '../../../../src/lib/cli/output/width.js'
import {asksForAll} from '../../../../src/lib/cli/help/asked.js'
import {rootHelp} from '../../../../src/lib/cli/help/root.js'
import {commandNames, loadCommand} from '../../../parse/command.js'

const {oclif} = JSON.parse(readFileSync('package.json', 'utf8'))
const topics = Object.entries<{description: string}>(oclif.topics)
  .filter(([name]) => !name.includes(':'))
  .map(([name, {description}]) => ({name, words: description}))
const commands = await Promise.all(
  commandNames
    .filter(name => !name.includes(' '))
    .map(async name => ({name, words: (await loadCommand(name)).summary ?? ''})),
)

test('fits a screen of 80 columns and 40 lines', () => {
  const lines = rootHelp({commands, topics}, 80).trimEnd().split('\n')
  expect(lines.length).toBeLessThanOrEqual(40)
  expect(lines.filter(line => displayWidth(line) > 80)).toEqual([])
})

test.each([40, 60, 120])('no line is longer than a terminal of %i columns', columns => {
  const lines = rootHelp({commands, topics}, columns).split('\n')
  // The first line is what one types.
  expect(lines.filter(line => displayWidth(line) > Math.max(columns, 80))).toEqual([])
})

test('names every command of one word and every topic', () => {
  const text = rootHelp({commands, topics}, 80)
  for (const {name} of [...commands, ...topics]) expect(text).toMatch(new RegExp(`\\b${name}\\b`))
})

test.each([
  [[], false],
  [['--help'], true],
  [['-h'], true],
  [['help'], true],
  [['help', 'files'], false],
  [['files', '--help'], false],
  [['ls'], false],
])('%j asks for all: %s', (argv, answer) => {
  expect(asksForAll(argv)).toBe(answer)
})
