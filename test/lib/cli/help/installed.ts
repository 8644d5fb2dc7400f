import {readFileSync} from 'node:fs'
import {fileURLToPath} from 'node:url'
import {manifestOf} from '../../../../src/lib/cli/help/manifest.js'

/** The manifest of this checkout, as the build has made it. */

const read = (name: string) =>
  JSON.parse(readFileSync(fileURLToPath(new URL(`../../../../${name}`, import.meta.url)), 'utf8'))

export const manifest = manifestOf(read('oclif.manifest.json'), read('package.json'))
