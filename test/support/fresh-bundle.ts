import {readdirSync, statSync} from 'node:fs'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const BUNDLE = 'dist/drv.cjs'

/** Throws if the bundle is missing, or older than one of its source files. */
export function requireFreshBundle(root = ROOT): void {
  const built = statSync(join(root, BUNDLE), {throwIfNoEntry: false})?.mtimeMs
  const newer = built === undefined ? undefined : sourcesOf(root).find(isAfter(built))
  if (built !== undefined && newer === undefined) return
  const problem = newer === undefined ? 'is missing' : `is older than ${newer.slice(root.length)}`
  throw new Error(`${BUNDLE} ${problem}. Run \`npm run bundle\` before these tests.`)
}

const isAfter = (time: number) => (file: string) => statSync(file).mtimeMs > time

function sourcesOf(root: string): string[] {
  const inside = ['src', 'build'].flatMap(folder =>
    readdirSync(join(root, folder), {recursive: true, withFileTypes: true})
      .filter(entry => entry.isFile() && !entry.name.endsWith('.md'))
      .map(entry => join(entry.parentPath, entry.name)),
  )
  return [join(root, 'package.json'), ...inside]
}
