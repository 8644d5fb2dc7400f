import {lstat, readdir} from 'node:fs/promises'
import {join} from 'node:path'
import {type Going, MOST} from './going.js'

/** What lies at some paths below a folder of this machine, as deep as it goes. */
export async function localGoing(root: string, paths: readonly string[]): Promise<Going> {
  let count = 0
  let bytes = 0
  const left = [...paths]
  for (let path = left.shift(); path !== undefined; path = left.shift()) {
    if (count >= MOST) return {names: paths, count, bytes, isMore: true}
    count += 1
    const whole = join(root, path)
    // What goes away meanwhile is lost without us.
    const facts = await lstat(whole).catch(() => undefined)
    if (facts?.isFile()) bytes += facts.size
    if (!facts?.isDirectory()) continue
    const inside = path
    const names = await readdir(whole).catch(() => [])
    left.push(...names.map(name => join(inside, name)))
  }
  return {names: paths, count, bytes}
}
