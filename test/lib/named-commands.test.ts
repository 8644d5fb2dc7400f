import {readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, test} from 'vitest'
import {environmentVariables} from '#lib/cli/help/pages.js'
import {allFlags, unknownFlags, unknownLines} from '../support/named-commands.js'
import {REPOSITORY, sourceFiles, type SourceText, stringsOf} from '../support/source-texts.js'
import {manifest} from './cli/help/installed.js'

/** Every command, flag and variable that a document, a help text or a message names exists. */

// The names in style sheets look like flags.
const messages = sourceFiles('src')
  .filter(file => !file.endsWith('/style.ts'))
  .flatMap(stringsOf)
const flags = allFlags(manifest)
const documents = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(REPOSITORY, 'docs'), {recursive: true, encoding: 'utf8'})
    .filter(name => name.endsWith('.md'))
    .map(name => join('docs', name)),
].map(file => ({file, line: 1, text: readFileSync(join(REPOSITORY, file), 'utf8')}))

/** The results of `find` for the texts, with their locations. */
function complaints(texts: readonly SourceText[], find: (text: string) => readonly string[]) {
  return texts.flatMap(({file, line, text}) => find(text).map(found => `${file}:${line} ${found}`))
}

test.each([
  ['messages', messages],
  ['documents', documents],
])('%s name flags that exist', (_, texts) => {
  expect(complaints(texts, text => unknownFlags(text, flags))).toEqual([])
})

test.each([
  ['messages', messages],
  ['documents', documents],
])('%s contain command lines that exist', (_, texts) => {
  expect(complaints(texts, text => unknownLines(text, manifest))).toEqual([])
})

test('documents name variables that exist', () => {
  const known = new Set(environmentVariables.map(({name}) => name))
  // Variables that `drv follow --exec` sets are named DRV_CHANGE_ and a part of the change.
  const variables = (text: string) => text.match(/\b(?:DRV_(?!CHANGE_)|XDG_)[A-Z_]+\b/g) ?? []
  expect(complaints(documents, text => variables(text).filter(name => !known.has(name)))).toEqual(
    [],
  )
})

test.each([
  'Run `drv flies list`.',
  'Run `drv files list --nowhere`.',
  '```sh\ncd x && drv ls -Z\n```',
])('%s is reported as unknown', text => {
  expect(unknownLines(text, manifest)).toHaveLength(1)
})
