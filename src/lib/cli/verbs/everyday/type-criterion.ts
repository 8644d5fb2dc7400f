import {EDITOR_TYPE_PREFIX, FOLDER_TYPE, SHORTCUT_TYPE} from '#lib/api/wire.js'
import {kindWord} from '#lib/cli/output/people.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {anyOf, quoted} from '#lib/transfer/remote/records.js'
import type {Criterion} from './criterion.js'

/** Prefixes of the media types of each kind that a search query can express. */
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
  d: 'folder',
  dir: 'folder',
  directory: 'folder',
  f: 'file',
  doc: 'document',
  docs: 'document',
  photo: 'image',
  picture: 'image',
  sheet: 'spreadsheet',
  sheets: 'spreadsheet',
  slides: 'presentation',
}

/** Kinds that no search query can express; `kindWord` maps media types to them. */
const KNOWN_HERE = ['archive', 'text']

/**
 * The criterion for `--type`: a word such as `folder`, `image`, `doc` or `file` (anything but a folder), a
 * media type such as `image/png` or `image/*`, or an extension, which also matches its media type. Throws
 * `UsageError`.
 */
export async function typeCriterion(text: string): Promise<Criterion> {
  const word = text.toLowerCase().replace(/^\*?\./, '')
  const kind = Object.hasOwn(SHORT, word) ? SHORT[word]! : word
  if (Object.hasOwn(STARTS, kind)) return startCriterion(STARTS[kind]!)
  if (kind === 'file') return {fits: ({mimeType}) => mimeType !== FOLDER_TYPE}
  if (/^[a-z]+\/\*?$/.test(word)) return startCriterion([word.replace('*', '')])
  if (/^[a-z]+\/[^\s/*]+$/.test(word)) return exactCriterion(word)
  if (KNOWN_HERE.includes(word)) return {fits: ({mimeType}) => kindWord(String(mimeType)) === word}
  if (!/^[\w+-]{1,20}$/.test(word)) {
    throw new UsageError(
      `Invalid value for --type: "${text}".`,
      'Use a type such as folder, image or doc, an extension such as pdf, or a media type.',
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
