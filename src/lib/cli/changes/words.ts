import {sizeText} from '#lib/cli/terminal/units.js'
import {printable} from '#lib/platform/sanitize.js'
import {actionWords} from './actions.js'
import type {Change, Extent} from './change.js'

type Tense = 'past' | 'would'

/** A change as a sentence: `Moved /a.txt to /Archive`, `Would move /work/ (128 files, 643.0 KiB) to the trash`. */
export function changeText(change: Change, tense: Tense): string {
  const {noun} = actionWords(change.action)
  const {action, isFolder, extent} = change
  const isPast = tense === 'past'
  const name = nameOf(change)
  const kind = noun ?? (action === 'create' && isFolder ? 'folder' : undefined)
  const size = !isPast || actionWords(action).isSized ? extentText(extent, isFolder) : ''
  return sentence(change, tense, {thing: `${kind ? `${kind} ` : ''}${name}${size}`, name, size})
}

/** Several changes with the same action as one sentence: `Moved 3 files to /Archive`. */
export function changesText(changes: readonly Change[], tense: Tense): string {
  const [first, second] = changes
  if (!first) return ''
  if (!second) return changeText(first, tense)
  const {noun, isSized} = actionWords(first.action)
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

/** The name of the changed item; the path of a folder ends with a slash. */
function nameOf({thing, isFolder, action}: Change): string {
  const name = printable(thing, 1000)
  const isPath = isFolder && /^(\/|\w+:)/.test(thing) && action !== 'create'
  return isPath && !thing.endsWith('/') ? `${name}/` : name
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
  names: {readonly thing: string; readonly name?: string; readonly size?: string},
): string {
  const {past, base, text} = actionWords(change.action)
  const {to, from, of, title, value, who, role} = change
  const parts: Record<string, string | undefined> = {
    ...{to, from, of, title, value, who, role},
    grant: grantText(change, tense),
  }
  const part = (name: string) => {
    if (name === 'thing' || name === 'name' || name === 'size') return names[name]
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

/** The extent as a suffix: ` (128 files, 643.0 KiB)`, ` (empty)`, for a single file ` (3.7 KiB)`. */
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
