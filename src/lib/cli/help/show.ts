import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {lineWidth} from '#lib/cli/terminal/layout.js'
import {helpText, type Subject} from './find.js'
import {type Manifest, type ManifestCommand, manifestOf} from './manifest.js'

/** Reads the manifest of the installation in the folder `root`. */
export function readManifest(root: string): Manifest {
  const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8')) as unknown
  return manifestOf(read('oclif.manifest.json'), read('package.json'))
}

/**
 * Reads one command of the manifest. The build writes each on a line of its own, so that a start parses
 * no more than that line.
 */
export function readCommand(root: string, id: string): ManifestCommand {
  const text = readFileSync(join(root, 'oclif.manifest.json'))
  const key = `\n${JSON.stringify(id)}:`
  const begin = text.indexOf(key)
  if (begin < 0) return readManifest(root).commands[id]!
  const line = text.toString('utf8', begin + key.length, text.indexOf('\n', begin + 1))
  return JSON.parse(line.replace(/,$/, '')) as ManifestCommand
}

/** Writes a help to standard output, as wide as the terminal there. */
export function showHelp(subject: Subject, manifest: Manifest, isWhole: boolean): void {
  const width = lineWidth(process.stdout.columns)
  process.stdout.on('error', () => {})
  process.stdout.write(helpText(subject, manifest, {width, isWhole}))
}
