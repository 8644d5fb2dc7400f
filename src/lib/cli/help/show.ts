import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {helpText, type Subject} from './find.js'
import {lineWidth} from './layout.js'
import {type Manifest, manifestOf} from './manifest.js'

/** Reads the manifest of the installation in the folder `root`. */
export function readManifest(root: string): Manifest {
  const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8')) as unknown
  return manifestOf(read('oclif.manifest.json'), read('package.json'))
}

/** Writes a help to standard output, as wide as the terminal there. */
export function showHelp(subject: Subject, manifest: Manifest, isWhole: boolean): void {
  const width = lineWidth(process.stdout.columns)
  process.stdout.on('error', () => {})
  process.stdout.write(helpText(subject, manifest, {width, isWhole}))
}
