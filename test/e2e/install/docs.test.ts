import {readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {expect, test} from 'vitest'
import {pictureOf} from '../../../build/docs/picture.js'
import {reference} from '../../../build/docs/reference.js'
import {walk} from '../../../build/docs/walk.js'
import {manifest} from '../../lib/cli/help/installed.js'
import {missingTerminal} from '../../support/terminal.js'

/** The output of `npm run docs` equals the files in `docs`. */

const docs = fileURLToPath(new URL('../../../docs', import.meta.url))
const read = (path: string) => readFileSync(join(docs, path), 'utf8')
const STALE = 'It is stale: run npm run docs, look at what changed, and commit it.'

test('the reference describes the existing commands', () => {
  const made = reference(manifest)
  const kept = ['commands', 'help'].flatMap(folder =>
    readdirSync(join(docs, folder)).map(file => `${folder}/${file}`),
  )
  expect(kept.toSorted(), STALE).toEqual([...made.keys()].toSorted())
  for (const [path, text] of made) expect(read(path) === text, `docs/${path}: ${STALE}`).toBe(true)
})

test.skipIf(missingTerminal)('the picture shows the output of a terminal', () => {
  const shown = pictureOf(walk(), 'Uploading a folder and sharing it')
  expect(read('terminal.svg') === shown, `docs/terminal.svg: ${STALE}`).toBe(true)
})
