import {readFileSync, statSync} from 'node:fs'
import {join} from 'node:path'
import type {Ignore} from 'ignore'
import {pathKey, titleKey} from './names.js'

/** Which things of a tree stay where they are, by the rules of `.gitignore`. */

/** The file whose lines leave things out of the folder that it is in, and of those below. */
export const RULES_FILE = '.drvignore'

/** What a command line says. */
export interface GivenRules {
  readonly exclude?: readonly string[]
  /** These win over `exclude`, and both over every file. */
  readonly include?: readonly string[]
}

export interface Rules {
  /** Whether a thing stays where it is, by the names on the way to it; what is below it stays with it. */
  leaves(names: readonly string[], isFolder: boolean): Promise<boolean>
  /** Whether anything can be left out, as far as was seen until now. */
  isAny(): boolean
}

interface Place extends GivenRules {
  /** The local folder whose rules hold, and those of the folders in it; none without it. */
  readonly path?: string
  /** The names on the way to that folder, from where names are counted. */
  readonly at?: readonly string[]
}

/** The rules that hold in a folder: the lines of the files above and in it. */
interface FolderRules {
  readonly lines: readonly string[]
  readonly test?: Ignore
}

/**
 * The rules of a folder of this machine, each file of them read when something beside it is asked for.
 * A line further down or in an inner folder wins over the earlier ones; capitals count. `leaves` rejects
 * with the system's error where such a file cannot be read.
 */
export function createRules({path, at = [], exclude = [], include = []}: Place): Rules {
  // A glob has no marks of its own: neither a comment nor the opposite of what is said.
  const given = [
    ...exclude.map(glob => glob.replace(/^(?=[!#])/, '\\')),
    ...include.map(glob => `!${glob}`),
  ].map(titleKey)
  const known = new Map<string, Promise<FolderRules>>()
  let isAny = exclude.length > 0

  function rulesIn(names: readonly string[]): Promise<FolderRules> {
    const key = pathKey(names.map(titleKey))
    const rules = known.get(key) ?? readIn(names)
    known.set(key, rules)
    return rules
  }

  async function readIn(names: readonly string[]): Promise<FolderRules> {
    const above = names.length > 0 ? await rulesIn(names.slice(0, -1)) : undefined
    const isInside = path !== undefined && names.length >= at.length
    const text = isInside ? readRules(join(path, ...names.slice(at.length))) : undefined
    if (text === undefined) return above ?? {lines: [], test: await compiled([])}
    isAny = true
    const own = text.split(/\r?\n/).map(line => titleKey(lineBelow(names, line)))
    const lines = [...(above?.lines ?? []), ...own]
    return {lines, test: await compiled(lines)}
  }

  async function compiled(lines: readonly string[]): Promise<Ignore | undefined> {
    if (lines.length + given.length === 0) return undefined
    const {default: ignore} = await import('ignore')
    return ignore({ignorecase: false}).add([...lines, ...given])
  }

  return {
    isAny: () => isAny,
    async leaves(names, isFolder) {
      const {test} = await rulesIn(names.slice(0, -1))
      return test?.ignores(names.map(titleKey).join('/') + (isFolder ? '/' : '')) ?? false
    },
  }
}

/** What any of some rules leaves out. */
export function anyOf(all: readonly Rules[]): Rules {
  return {
    isAny: () => all.some(rules => rules.isAny()),
    async leaves(names, isFolder) {
      for (const rules of all) if (await rules.leaves(names, isFolder)) return true
      return false
    },
  }
}

/** The text of the rules of a folder; `undefined` where there are none. */
function readRules(folder: string): string | undefined {
  const path = join(folder, RULES_FILE)
  return isFile(path) ? readFileSync(path, 'utf8').replace(/^\ufeff/, '') : undefined
}

function isFile(path: string): boolean {
  try {
    // To open a pipe would wait for whoever writes to it.
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** A line of the rules of an inner folder, as it would stand in those of the outermost. */
function lineBelow(names: readonly string[], line: string): string {
  if (names.length === 0 || line.startsWith('#')) return line
  const [, mark = '', pattern = ''] = /^(!?)(.*)$/s.exec(line) ?? []
  if (pattern.trim() === '') return ''
  const folder = names.map(name => name.replace(/[\\*?[]/g, '\\$&')).join('/')
  // One with a slash before its end is meant from that folder on, others anywhere below it.
  const isAnchored = /\/./.test(pattern.trimEnd())
  const rest = isAnchored ? pattern.replace(/^\//, '') : `**/${pattern.replace(/^\\(?=[!#])/, '')}`
  return `${mark}/${folder}/${rest}`
}
