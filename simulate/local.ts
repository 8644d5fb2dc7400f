import {createHash} from 'node:crypto'
import {existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {dirname, join} from 'node:path'

/** Local trees of a simulated user. */

/** MD5s by relative path; `folder` for folders. */
export type LocalTree = ReadonlyMap<string, string>

export const md5 = (content: string | Buffer) => createHash('md5').update(content).digest('hex')

export function readTree(root: string, path = ''): Map<string, string> {
  const found = new Map<string, string>()
  if (!existsSync(root)) return found
  for (const entry of readdirSync(join(root, path), {withFileTypes: true})) {
    if (path === '' && entry.name === '.drv-trash') continue
    const at = path === '' ? entry.name : `${path}/${entry.name}`
    if (entry.isDirectory()) {
      found.set(at, 'folder')
      for (const [below, sum] of readTree(root, at)) found.set(below, sum)
    } else found.set(at, md5(readFileSync(join(root, at))))
  }
  return found
}

const FOLDERS = ['', 'docs', 'docs/old', 'Ünïcode & more', "it's", 'docs/old/deep']
const NAMES = ['a.txt', 'b.md', 'c c.csv', '日本.txt', '#x', 'y.bin', '.hidden', 'z (1).txt']

/** Makes one random change of a local tree: a file is created, replaced or deleted, or a folder deleted. */
export function editTree(root: string, random: () => number): void {
  const pick = <T>(some: readonly T[]): T => some[Math.floor(random() * some.length)]!
  const path = join(root, pick(FOLDERS), pick(NAMES))
  const dice = random()
  if (dice < 0.1) rmSync(join(root, pick(FOLDERS.slice(1))), {recursive: true, force: true})
  else if (dice < 0.25) rmSync(path, {force: true})
  else {
    const content = contentOf(random)
    try {
      mkdirSync(dirname(path), {recursive: true})
      writeFileSync(path, content)
    } catch (error) {
      // On a full disk, the file is shorter or missing.
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    }
  }
}

/** Random content: mostly small, sometimes empty, rarely larger than a single request may be. */
export function contentOf(random: () => number): Buffer {
  const dice = random()
  const size = dice < 0.1 ? 0 : dice < 0.97 ? random() ** 3 * 60_000 : 6_000_000
  return Buffer.alloc(Math.floor(size), `${random()} `)
}
