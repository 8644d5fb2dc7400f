import {readFileSync, statSync} from 'node:fs'
import {join} from 'node:path'
import {pathKey, titleKey} from './names.js'
import {patternTest} from './patterns.js'

/** Decides which entries of a tree are excluded, with the syntax of `.gitignore`. */

/** The file whose rules apply to its folder and everything below. */
export const RULES_FILE = '.drvignore'

/** The rules on the command line. */
export interface GivenRules {
  readonly exclude?: readonly string[]
  /** Takes precedence over `exclude`; both take precedence over all files. */
  readonly include?: readonly string[]
}

export interface IgnoreRules {
  /** Whether an entry is excluded, by the names that lead to it. Everything below it is excluded too. */
  excludes(names: readonly string[], isFolder: boolean): Promise<boolean>
  /** Whether any rules exist, as far as known. */
  isAny(): boolean
}

interface Place extends GivenRules {
  /** The local folder whose rule files apply; without it there are no rule files. */
  readonly path?: string
  /** The names that lead to that folder. */
  readonly at?: readonly string[]
}

/** The rules that apply in a folder: the lines of its own file and those above. */
interface FolderRules {
  readonly lines: readonly string[]
  readonly matches?: (path: string) => boolean
}

/**
 * The rules for a local folder; each rule file is read when something beside it is checked. Later lines
 * and inner folders take precedence; names are case-sensitive. `excludes` rejects with the system's error
 * if a rule file cannot be read.
 */
export function createRules({path, at = [], exclude = [], include = []}: Place): IgnoreRules {
  // Globs on the command line have no comments or negation, so escape these marks.
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
    if (text === undefined) return above ?? {lines: [], matches: await matcherOf([])}
    isAny = true
    const own = text.split(/\r?\n/).map(line => titleKey(lineBelow(names, line)))
    const lines = [...(above?.lines ?? []), ...own]
    return {lines, matches: await matcherOf(lines)}
  }

  async function matcherOf(lines: readonly string[]): Promise<FolderRules['matches']> {
    if (lines.length + given.length === 0) return undefined
    return patternTest([...lines, ...given], {ignoreCase: false})
  }

  return {
    isAny: () => isAny,
    async excludes(names, isFolder) {
      const {matches} = await rulesIn(names.slice(0, -1))
      return matches?.(names.map(titleKey).join('/') + (isFolder ? '/' : '')) ?? false
    },
  }
}

/** Rules that exclude what any of the given ones excludes. */
export function anyRule(all: readonly IgnoreRules[]): IgnoreRules {
  return {
    isAny: () => all.some(rules => rules.isAny()),
    async excludes(names, isFolder) {
      for (const rules of all) if (await rules.excludes(names, isFolder)) return true
      return false
    },
  }
}

/** The text of a folder's rule file; `undefined` if the folder has no such file. */
function readRules(folder: string): string | undefined {
  const path = join(folder, RULES_FILE)
  return isFile(path) ? readFileSync(path, 'utf8').replace(/^\ufeff/, '') : undefined
}

function isFile(path: string): boolean {
  try {
    // Check first: opening a named pipe would wait for its writer.
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** A line of an inner folder's rule file, rewritten relative to the outermost folder. */
function lineBelow(names: readonly string[], line: string): string {
  if (names.length === 0 || line.startsWith('#')) return line
  const [, mark = '', pattern = ''] = /^(!?)(.*)$/s.exec(line) ?? []
  if (pattern.trim() === '') return ''
  const folder = names.map(name => name.replace(/[\\*?[]/g, '\\$&')).join('/')
  // A pattern with a slash before its end is relative to the folder; others match anywhere below.
  const isAnchored = /\/./.test(pattern.trimEnd())
  const rest = isAnchored ? pattern.replace(/^\//, '') : `**/${pattern.replace(/^\\(?=[!#])/, '')}`
  return `${mark}/${folder}/${rest}`
}
