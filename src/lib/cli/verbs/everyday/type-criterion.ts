import {EDITOR_TYPE_PREFIX, FOLDER_TYPE, SHORTCUT_TYPE} from '#lib/api/wire.js'
import {kindWord} from '#lib/cli/output/people.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {anyOf, quoted} from '#lib/transfer/remote/records.js'
import type {Criterion} from './criterion.js'

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
