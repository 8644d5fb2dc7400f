import {EDITOR_TYPE_PREFIX, FOLDER_TYPE, SHORTCUT_TYPE} from '#lib/api/wire.js'
import {bytesIn} from '#lib/cli/input/shared-flags.js'
import {isNumber, kindWord} from '#lib/cli/output/people.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {momentIn} from '#lib/cli/terminal/units.js'
import type {Page} from '#lib/client/client.js'
import {titleKey} from '#lib/transfer/local/names.js'
import {anyOf, quoted} from '#lib/transfer/remote/records.js'

/** One thing that `drv find` asks of files. */
export interface Criterion {
  /** What the service is asked, in its search language; without it all is read and looked at here. */
  readonly term?: string
  /** Whether a record fits, where the service does not say it all. */
  readonly fits?: (record: Page) => boolean
}

/** What a command line asks for, by name of the flag. */
export interface Wishes {
  readonly name?: string
  readonly type?: string
  readonly larger?: string
  readonly smaller?: string
  readonly 'modified-since'?: string
  readonly owner?: string
  readonly 'shared-with'?: string
}

/** What to ask the service, and what to look at here. Throws `UsageError` for a value that says nothing. */
export async function criteriaOf(wishes: Wishes, now: number): Promise<Criterion[]> {
  const {name, type, larger, smaller, owner} = wishes
  const {'modified-since': since, 'shared-with': who} = wishes
  const all: Criterion[] = []
  if (name !== undefined) all.push(await nameCriterion(name))
  if (type !== undefined) all.push(await typeCriterion(type))
  if (larger !== undefined) all.push(sizeCriterion('larger', larger, (size, than) => size > than))
  if (smaller !== undefined) {
    all.push(sizeCriterion('smaller', smaller, (size, than) => size < than))
  }
  if (since !== undefined) all.push(sinceCriterion(since, now))
  if (owner !== undefined) all.push({term: `${quoted(person('owner', owner))} in owners`})
  if (who !== undefined) all.push({term: sharedTerm(who)})
  return all
}

/** Nothing but files has a size. */
function sizeCriterion(
  flag: string,
  text: string,
  compare: (size: number, than: number) => boolean,
): Criterion {
  const than = bytesIn(text)
  if (than === undefined) {
    throw new UsageError(
      `--${flag} takes bytes, such as 500K or 10M, not "${text}".`,
      'K, M, G and T are 1024 each.',
    )
  }
  return {fits: ({fileSize}) => isNumber(fileSize) && compare(Number(fileSize), than)}
}

function sinceCriterion(text: string, now: number): Criterion {
  const moment = momentIn(text, now)
  if (moment !== undefined) {
    return {term: `modifiedDate >= ${quoted(new Date(moment).toISOString())}`}
  }
  throw new UsageError(
    `--modified-since takes a time such as 12h, 7d, 2w or 2026-01-31, not "${text}".`,
    'm, h, d and w are minutes, hours, days and weeks.',
  )
}

/** Whoever owns a file may read it, and is not who it is shared with. */
function sharedTerm(who: string): string {
  if (who === 'anyone') return `(visibility = 'anyoneCanFind' or visibility = 'anyoneWithLink')`
  const whom = quoted(person('shared-with', who, ' or anyone'))
  return `(${whom} in readers and not ${whom} in owners)`
}

function person(flag: string, text: string, others = ''): string {
  if (text === 'me' || /^[^\s@]+@[^\s@]+$/.test(text)) return text
  throw new UsageError(`--${flag} takes an e-mail address, me${others}, not "${text}".`)
}

/** Whether a glob has signs that stand for others. */
export function hasWildcards(glob: string): boolean {
  return /[*?[\\]/.test(glob)
}

/** Files whose whole title fits a glob, whatever its capitals, as the service itself compares titles. */
export async function nameCriterion(glob: string): Promise<Criterion> {
  const {default: ignore} = await import('ignore')
  const rules = ignore({ignorecase: true}).add({pattern: patternOf(glob)})
  return {
    term: termFor(glob),
    fits: ({title}) => typeof title === 'string' && rules.ignores(asName(title)),
  }
}

/**
 * What the service can say of it (reference: protocols.md, section 5): the whole title; of a glob the
 * letters that it begins with, which begin the first word of the title.
 */
function termFor(glob: string): string | undefined {
  if (!hasWildcards(glob)) return `title = ${quoted(glob)}`
  const [start] = /^[a-z\d]+/i.exec(glob) ?? []
  return start === undefined ? undefined : `title contains ${quoted(start)}`
}

/** The glob as a rule of `.gitignore` that is about the whole of one name. */
function patternOf(glob: string): string {
  return `/${asName(glob).replace(/\s+$/, blanks => blanks.replace(/./gs, '\\$&'))}`
}

/** A title as one name of a path: a title may have a slash, or be nothing but a dot. */
function asName(title: string): string {
  return `=${titleKey(title).replaceAll('/', '\u2215')}`
}

/** What the media types of a kind begin with, where one search can say it. */
const STARTS: Readonly<Record<string, readonly string[]>> = {
  folder: [FOLDER_TYPE],
  shortcut: [SHORTCUT_TYPE],
  pdf: ['application/pdf'],
  image: ['image/'],
  audio: ['audio/'],
  video: ['video/'],
  document: [
    `${EDITOR_TYPE_PREFIX}document`,
    'application/vnd.openxmlformats-officedocument.wordprocessingml.',
    'application/vnd.oasis.opendocument.text',
    'application/vnd.ms-word',
    'application/msword',
    'application/rtf',
    'text/rtf',
  ],
  spreadsheet: [
    `${EDITOR_TYPE_PREFIX}spreadsheet`,
    'application/vnd.openxmlformats-officedocument.spreadsheetml.',
    'application/vnd.oasis.opendocument.spreadsheet',
    'application/vnd.ms-excel',
  ],
  presentation: [
    `${EDITOR_TYPE_PREFIX}presentation`,
    'application/vnd.openxmlformats-officedocument.presentationml.',
    'application/vnd.oasis.opendocument.presentation',
    'application/vnd.ms-powerpoint',
  ],
}

const SHORT: Readonly<Record<string, string>> = {
  dir: 'folder',
  doc: 'document',
  docs: 'document',
  photo: 'image',
  picture: 'image',
  sheet: 'spreadsheet',
  sheets: 'spreadsheet',
  slides: 'presentation',
}

/** Kinds that only the table of media types of this side knows. */
const KNOWN_HERE = ['archive', 'text']

/**
 * Files of a type: a word such as `folder`, `image`, `doc` or `sheet`, a media type such as `image/png` or
 * `image/*`, or the ending of a name, which its media type stands for as well. Throws `UsageError`.
 */
export async function typeCriterion(text: string): Promise<Criterion> {
  const word = text.toLowerCase().replace(/^\*?\./, '')
  const kind = Object.hasOwn(SHORT, word) ? SHORT[word]! : word
  if (Object.hasOwn(STARTS, kind)) return startCriterion(STARTS[kind]!)
  if (/^[a-z]+\/\*?$/.test(word)) return startCriterion([word.replace('*', '')])
  if (/^[a-z]+\/[^\s/*]+$/.test(word)) return exactCriterion(word)
  if (KNOWN_HERE.includes(word)) return {fits: ({mimeType}) => kindWord(String(mimeType)) === word}
  if (!/^[\w+-]{1,20}$/.test(word)) {
    throw new UsageError(
      `--type takes a word such as folder, image, doc or pdf, an ending, or a media type, not "${text}".`,
    )
  }
  const {default: mime} = await import('mime')
  const type = mime.getType(word)
  return {
    fits: ({title, mimeType}) =>
      mimeType !== FOLDER_TYPE &&
      ((type !== null && mimeType === type) || String(title).toLowerCase().endsWith(`.${word}`)),
  }
}

function startCriterion(starts: readonly string[]): Criterion {
  return {
    term: anyOf(starts, start => `mimeType contains ${quoted(start)}`),
    fits: ({mimeType}) => starts.some(start => String(mimeType).toLowerCase().startsWith(start)),
  }
}

function exactCriterion(type: string): Criterion {
  return {
    term: `mimeType = ${quoted(type)}`,
    fits: ({mimeType}) => String(mimeType).toLowerCase() === type,
  }
}
