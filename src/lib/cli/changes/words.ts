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

/** Sums up changes with the same action; there may be millions. */
export interface ChangeSum {
  /** The number of changes. */
  readonly count: number
  add(change: Change): void
  /** One sentence for all of them: `Moved 3 files to /Archive`. */
  text(tense: Tense): string
}

/** The properties that a sum has if they are the same for all changes. */
const COMMON = ['to', 'from', 'of', 'value', 'role', 'isMailed'] as const

/** A sum of no changes. Only their names are kept. */
export function createChangeSum(): ChangeSum {
  let first: Change | undefined
  let [count, folders, files, bytes] = [0, 0, 0, 0]
  const different = new Set<(typeof COMMON)[number]>()
  const things = new Set<string>()
  const people = new Set<string | undefined>()

  function kind(): string {
    if (folders === count) return 'folder'
    return files === count ? 'file' : 'item'
  }

  return {
    get count() {
      return count
    },
    add(change) {
      first ??= change
      count += 1
      if (change.isFolder === true) folders += 1
      if (change.isFolder === false) files += 1
      bytes += change.extent?.bytes ?? 0
      for (const key of COMMON) if (change[key] !== first[key]) different.add(key)
      things.add(change.thing)
      people.add(change.who)
    },
    text(tense) {
      if (!first) return ''
      if (count === 1) return changeText(first, tense)
      const {noun, isSized} = actionWords(first.action)
      const size = bytes > 0 && (tense === 'would' || isSized) ? ` (${sizeText(bytes)})` : ''
      const all: Change = {
        ...first,
        ...Object.fromEntries([...different].map(key => [key, undefined])),
        title: undefined,
        isReplacing: undefined,
        who: people.size > 3 ? `${people.size} people` : [...people].filter(Boolean).join(', '),
      }
      const counted = `${countText(things.size, noun ?? kind())}${size}`
      return sentence(all, tense, {thing: things.size === 1 ? nameOf(first) : counted})
    },
  }
}

/** The name of the changed item; the path of a folder ends with a slash. */
function nameOf({thing, isFolder, action}: Change): string {
  const name = printable(thing, 1000)
  const isPath = isFolder && /^(\/|\w+:)/.test(thing) && action !== 'create'
  return isPath && !thing.endsWith('/') ? `${name}/` : name
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
