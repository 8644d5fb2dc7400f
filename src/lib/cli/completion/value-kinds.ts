import type {Listed} from '#lib/cli/context/completion-file.js'
import type {ManifestArgument, ManifestFlag} from '#lib/cli/help/manifest.js'
import {namedKindOf} from '#lib/cli/input/names/file-kinds.js'
import {POLICY_NAMES} from '#lib/config/policy.js'
import {valueExamples} from './value-examples.js'

/** Determines the kinds of values of arguments and flags from the manifest. Pure. */

/** A kind of value. */
export type WantedValue =
  /** One of a fixed list of words. */
  | {readonly kind: 'words'; readonly words: readonly string[]}
  | {readonly kind: 'columns' | 'profiles' | 'aliases' | 'drives' | 'remote' | 'files'}
  /** IDs of the last list. `file` is the file that they belong to, as for revisions. */
  | {readonly kind: 'ids'; readonly of: Listed; readonly file?: string}

export interface ValueKind {
  readonly wanted: readonly WantedValue[]
  /** A comma-separated list. */
  readonly isList?: boolean
  /** The prefix of the value, such as the `@` of `@FILE`. */
  readonly lead?: string
}

const FILES: ValueKind = {wanted: [{kind: 'files'}]}
const PROFILES: ValueKind = {wanted: [{kind: 'profiles'}]}
const REMOTE: ValueKind = {wanted: [{kind: 'remote'}, {kind: 'ids', of: 'file'}]}

/** The kinds of values of an argument. The first argument may be the file that the value belongs to. */
export function argumentValue(
  command: string,
  name: string,
  {options}: ManifestArgument,
  {args: [file], used}: {readonly args: readonly string[]; readonly used: ReadonlySet<string>},
): ValueKind {
  // With `--check` the arguments are local lists of checksums.
  if (command === 'md5sum' && used.has('check')) return FILES
  if (options) return {wanted: [{kind: 'words', words: options}]}
  if (command.startsWith('auth:') && name === 'name') return PROFILES
  if (command.startsWith('auth:policy:')) {
    return name === 'policy' ? {wanted: [{kind: 'words', words: POLICY_NAMES}]} : REMOTE
  }
  if (command === 'alias:delete') return {wanted: [{kind: 'aliases'}]}
  // The arguments of one-word commands are remote files by default.
  const isRemote = !command.includes(':') && name !== 'local'
  return namedValue(name, file) ?? (isRemote ? REMOTE : FILES)
}

/** The kinds of values of a flag (default: a local file). */
export function flagValue(name: string, flag: ManifestFlag): ValueKind {
  const {options, summary, helpValue = ''} = flag
  const named = options ? undefined : namedValue(name, undefined)
  if (named) return named
  const words = options ?? wordsIn(summary) ?? valueExamples(name, flag)
  if (words) {
    const isList = (helpValue.includes(',') || helpValue === 'FORMATS') && options === undefined
    return {wanted: words.length > 0 ? [{kind: 'words', words}] : [], isList}
  }
  if (name === 'columns') return {wanted: [{kind: 'columns'}], isList: true}
  if (name === 'profile') return PROFILES
  if (helpValue.includes('@FILE')) return {...FILES, lead: '@'}
  if (helpValue === 'FOLDER') return REMOTE
  return FILES
}

/** The words in `One of owner, organizer or reader.`, `Role: owner or reader.` and `Role to grant (owner or reader).` */
function wordsIn(summary = ''): readonly string[] | undefined {
  const forms = [/^One of ([\w, ]+)/, /^\w+: ([\w, ]+ or \w+)\./, /^[\w ]+\(([\w, ]+ or \w+)[;)]/]
  const list = forms.map(form => form.exec(summary)?.[1]).find(found => found !== undefined)
  return list?.split(/, (?:or )?| or /).filter(word => /^\w+$/.test(word))
}

function namedValue(name: string, file: string | undefined): ValueKind | undefined {
  const parameter = name.replace(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase())
  switch (namedKindOf(parameter)) {
    case 'file':
      return REMOTE
    case 'files':
      return {...REMOTE, isList: true}
    case 'drive':
      return {wanted: [{kind: 'drives'}, {kind: 'ids', of: 'drive'}]}
    case 'permission':
      return ofFile('permission', file, 'anyone')
    case 'revision':
      return ofFile('revision', file, 'head')
    case undefined:
  }
  const [, of] = /^(change|app|property)(?:Id|Key)$/.exec(parameter) ?? []
  return of === undefined ? undefined : {wanted: [{kind: 'ids', of: of as Listed, file}]}
}

function ofFile(of: Listed, file: string | undefined, word: string): ValueKind {
  return {
    wanted: [
      {kind: 'ids', of, file},
      {kind: 'words', words: [word]},
    ],
  }
}
