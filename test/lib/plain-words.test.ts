import {readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, test} from 'vitest'
import {groupBy} from '#lib/platform/values.js'
import {ruledOut} from '../support/plain-words.js'
import {
  commentsOf,
  exportedNames,
  REPOSITORY,
  sourceFiles,
  type SourceText,
  stringsOf,
} from '../support/source-texts.js'

/**
 * Checks that texts for people are in plain words: strings and comments of the source, documents, and the recorded
 * texts.
 */

const files = sourceFiles('src')

const complaints = (texts: readonly SourceText[]) =>
  texts.flatMap(({file, line, text}) => {
    const complaint = ruledOut(text)
    return complaint === undefined ? [] : [`${file}:${line} ${complaint}`]
  })

test('no message has a phrase that is ruled out', () => {
  expect(complaints(files.flatMap(stringsOf))).toEqual([])
})

test('no comment has a phrase that is ruled out', () => {
  expect(complaints(files.flatMap(commentsOf))).toEqual([])
})

test('no document has a phrase that is ruled out', () => {
  const names = ['docs', 'test/texts'].flatMap(folder =>
    readdirSync(join(REPOSITORY, folder), {recursive: true, encoding: 'utf8'})
      .filter(name => name.endsWith('.md'))
      .map(name => join(folder, name)),
  )
  const documents = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'src/README.md', ...names]
  const lines = documents.flatMap(file =>
    readFileSync(join(REPOSITORY, file), 'utf8')
      .split('\n')
      // The headings of test/texts are the names of tests.
      .map((text, at) => ({
        file,
        line: at + 1,
        text: /^## \S+\.test\.ts › /.test(text) ? '' : text,
      })),
  )
  expect(complaints(lines)).toEqual([])
})

test('an exported name has one meaning', () => {
  // The package's second entry has public names of its own.
  const own = files.filter(file => !file.startsWith('src/lib/local/'))
  const all = own.flatMap(file => exportedNames(file).map(name => ({file, name})))
  const filesOf = groupBy(all, ({name}) => name)
  const shared = [...filesOf]
    .filter(([, places]) => places.length > 1)
    .map(([name, places]) => `${name}: ${places.map(({file}) => file).join(', ')}`)
  expect(shared).toEqual([])
})
