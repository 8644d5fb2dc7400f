import {sizeText} from '#lib/cli/terminal/units.js'
import {printable} from '#lib/platform/sanitize.js'
import type {Change, Extent} from './change.js'

interface Words {
  readonly past: string
  readonly base: string
  /** What follows: `{thing}` and other parts of a change; what is in brackets goes with its part. */
  readonly text: string
  /** What things are called that are no files. */
  readonly noun?: string
  /** The result tells the size, too. */
  readonly isSized?: boolean
}

const words = (past: string, base: string, text: string, more: Partial<Words> = {}): Words => ({
  past,
  base,
  text,
  ...more,
})

const drive = {noun: 'shared drive'}
const property = {noun: 'property'}
const revision = {noun: 'revision'}
const ACCESS = '{thing}[ with {who}][ ({grant})]'

/** Every action of a change in words, for what was done and what would be done. */
const ACTIONS = {
  copy: words('Copied', 'copy', '{thing}[ to {to}]', {isSized: true}),
  create: words('Created', 'create', '{thing}[ in {to}]'),
  'create drive': words('Created', 'create', '{thing}', drive),
  delete: words('Deleted', 'permanently delete', '{thing}'),
  'delete drive': words('Deleted', 'permanently delete', '{thing}', drive),
  'delete property': words('Deleted', 'delete', '{thing}[ of {of}]', property),
  'delete revision': words('Deleted', 'permanently delete', '{thing}[ of {of}]', revision),
  'change role': words(
    'Changed',
    'change',
    'the role[ of {who}] on {thing}[ from {from}][ to {role}]',
  ),
  'empty trash': words('Emptied', 'permanently delete everything in', 'the trash[ of {name}]'),
  'hide drive': words('Hid', 'hide', '{thing}', drive),
  keep: words('Kept', 'keep', 'the existing {thing}[ in {to}]'),
  'keep role': words('Kept', 'keep', 'the role[ of {who}] on {thing}[ ({role})]'),
  label: words('Updated', 'update', 'the labels of {thing}'),
  move: words('Moved', 'move', '{thing}[ from {from}][ to {to}]'),
  remove: words('Removed', 'remove', '{thing}[ from {from}]'),
  rename: words('Renamed', 'rename', '{thing}[ to {title}]'),
  restore: words('Restored', 'restore', '{thing} from the trash'),
  'set property': words('Set', 'set', '{thing}[ to {value}][ on {of}]', property),
  share: words('Shared', 'share', ACCESS),
  'stop channel': words('Stopped', 'stop', '{thing}', {noun: 'channel'}),
  touch: words('Touched', 'touch', '{thing}'),
  trash: words('Trashed', 'trash', '{thing}'),
  'unhide drive': words('Unhid', 'unhide', '{thing}', drive),
  unshare: words('Stopped', 'stop', 'sharing {thing}[ with {who}]'),
  update: words('Updated', 'update', '{thing}'),
  'update content': words('Updated', 'update', '{thing}', {isSized: true}),
  'update drive': words('Updated', 'update', '{thing}', drive),
  'update revision': words('Updated', 'update', '{thing}[ of {of}]', revision),
  upload: words('Uploaded', 'upload', '{thing}[ to {to}]', {isSized: true}),
} as const satisfies Record<string, Words>

export type Action = keyof typeof ACTIONS

type Tense = 'past' | 'would'

/** `Moved /a.txt to /Archive`, `Would trash /work/ (128 files, 643.0 KiB)` */
export function changeText(change: Change, tense: Tense): string {
  const {noun} = wordsOf(change.action)
  const {action, isFolder, extent} = change
  const isPast = tense === 'past'
  const name = nameOf(change)
  const kind = noun ?? (action === 'create' && isFolder ? 'folder' : undefined)
  const size = !isPast || wordsOf(action).isSized ? extentText(extent, isFolder) : ''
  return sentence(change, tense, {thing: `${kind ? `${kind} ` : ''}${name}${size}`, name})
}

/** The same of several changes of one action: `Moved 3 files to /Archive`. */
export function changesText(changes: readonly Change[], tense: Tense): string {
  const [first, second] = changes
  if (!first) return ''
  if (!second) return changeText(first, tense)
  const {noun, isSized} = wordsOf(first.action)
  const things = new Set(changes.map(({thing}) => thing))
  const people = new Set(changes.map(({who}) => who))
  const bytes = changes.reduce((sum, {extent}) => sum + (extent?.bytes ?? 0), 0)
  const size = bytes > 0 && (tense === 'would' || isSized) ? ` (${sizeText(bytes)})` : ''
  const all = {
    ...first,
    to: common(changes, 'to'),
    from: common(changes, 'from'),
    of: common(changes, 'of'),
    title: undefined,
    value: common(changes, 'value'),
    role: common(changes, 'role'),
    isMailed: common(changes, 'isMailed'),
    isReplacing: undefined,
    who: people.size > 3 ? `${people.size} people` : [...people].filter(Boolean).join(', '),
  }
  const thing =
    things.size === 1 ? nameOf(first) : `${countText(things.size, noun ?? kindOf(changes))}${size}`
  return sentence(all, tense, {thing})
}

/** What is changed, with a slash at the end of a folder's path. */
function nameOf({thing, isFolder, action}: Change): string {
  const name = printable(thing, 1000)
  const isPath = isFolder && /^(\/|\w+:)/.test(thing) && action !== 'create'
  return isPath && !thing.endsWith('/') ? `${name}/` : name
}

function wordsOf(action: Action): Words {
  return ACTIONS[action]
}

function common<K extends keyof Change>(changes: readonly Change[], key: K): Change[K] | undefined {
  const [first] = changes
  return changes.every(change => change[key] === first![key]) ? first![key] : undefined
}

function kindOf(changes: readonly Change[]): string {
  if (changes.every(({isFolder}) => isFolder === true)) return 'folder'
  return changes.every(({isFolder}) => isFolder === false) ? 'file' : 'item'
}

function sentence(
  change: Change,
  tense: Tense,
  names: {readonly thing: string; readonly name?: string},
): string {
  const {past, base, text} = wordsOf(change.action)
  const {to, from, of, title, value, who, role} = change
  const parts: Record<string, string | undefined> = {
    ...{to, from, of, title, value, who, role},
    grant: grantText(change, tense),
  }
  const part = (name: string) => {
    if (name === 'thing' || name === 'name') return names[name]
    return parts[name] && printable(parts[name], 1000)
  }
  const filled = text
    .replace(/\[([^\]]*)\{(\w+)\}([^\]]*)\]/g, (_, before: string, name: string, after: string) => {
      const value = part(name)
      return value ? `${before}${value}${after}` : ''
    })
    .replace(/\{(\w+)\}/g, (_, name: string) => part(name) ?? '')
  const replacing = change.isReplacing ? ', replacing the existing file' : ''
  return `${tense === 'past' ? past : `Would ${base}`} ${filled}${replacing}`
}

function grantText({role, isMailed}: Change, tense: Tense): string | undefined {
  const sent = tense === 'past' ? 'email sent' : 'sends an email'
  const mail = isMailed === undefined ? undefined : isMailed ? sent : 'no email'
  return [role, mail].filter(Boolean).join('; ') || undefined
}

/** ` (128 files, 643.0 KiB)`, ` (empty)`, of a file ` (3.7 KiB)`. */
function extentText(extent: Extent | undefined, isFolder = false): string {
  if (!extent) return ''
  const {files, folders, bytes, isMore = false} = extent
  const size = bytes > 0 || (!isFolder && files === 1) ? [sizeText(bytes)] : []
  if (!isFolder && files === 1) return ` (${size.join('')})`
  if (files + folders === 0) return isMore ? '' : ' (empty)'
  const counted =
    files > 0 || folders === 0 ? countText(files, 'file') : countText(folders, 'folder')
  return ` (${isMore ? 'at least ' : ''}${[counted, ...size].join(', ')})`
}

/** `1 file`, `1,200 properties` */
function countText(number: number, noun: string): string {
  const many = noun.endsWith('y') ? `${noun.slice(0, -1)}ies` : `${noun}s`
  return `${number.toLocaleString('en')} ${number === 1 ? noun : many}`
}
