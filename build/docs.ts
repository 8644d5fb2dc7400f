import {mkdirSync, rmSync, writeFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {readManifest} from '#lib/cli/help/manifest.js'
import {pictureOf} from './docs/picture.js'
import {reference} from './docs/reference.js'
import {walk} from './docs/walk.js'

/** Generates the reference in `docs`, and the picture of a terminal for the README. */

const root = fileURLToPath(new URL('..', import.meta.url))
const docs = join(root, 'docs')

// Also removes the pages of topics that no longer exist.
for (const made of ['commands', 'help']) rmSync(join(docs, made), {recursive: true, force: true})
for (const [path, text] of reference(readManifest(root))) {
  const file = join(docs, path)
  mkdirSync(dirname(file), {recursive: true})
  writeFileSync(file, text)
}
writeFileSync(join(docs, 'terminal.svg'), pictureOf(walk(), 'Uploading a folder and sharing it'))
