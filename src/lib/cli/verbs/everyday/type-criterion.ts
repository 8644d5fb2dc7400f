import {Flags} from '@oclif/core'
import {EDITOR_TYPE_PREFIX, FOLDER_TYPE, SHORTCUT_TYPE} from '#lib/api/wire.js'
import {kindWord} from '#lib/cli/output/people.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {queryAnyOf, queryValue} from '#lib/transfer/remote/records.js'
import type {Criterion} from './criterion.js'

/** The flag `--type`; its help begins with `start`, such as `File type`. */
export function typeFlag(start: string) {
  return Flags.string({
    summary: `${start}, such as image or pdf; also folder, audio, video, doc, sheet, slides, text, archive, other extensions, and media types.`,
    helpValue: 'TYPE',
  })
}

/** Prefixes of the media types of each kind that a search query can express. */
const TYPE_PREFIXES: Readonly<Record<string, readonly string[]>> = {
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

const TYPE_ALIASES: Readonly<Record<string, string>> = {
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
const KINDS_WITHOUT_PREFIX = ['archive', 'text']

/**
 * The criterion for `--type`: a word such as `folder`, `image`, `doc` or `file` (anything but a folder), a
 * media type such as `image/png` or `image/*`, or an extension, which also matches its media type. Throws
 * `UsageError`.
 */
export async function typeCriterion(text: string): Promise<Criterion> {
  const word = text.toLowerCase().replace(/^\*?\./, '')
  const kind = Object.hasOwn(TYPE_ALIASES, word) ? TYPE_ALIASES[word]! : word
  if (Object.hasOwn(TYPE_PREFIXES, kind)) return prefixCriterion(TYPE_PREFIXES[kind]!)
  if (kind === 'file') return {matches: ({mimeType}) => mimeType !== FOLDER_TYPE}
  if (/^[a-z]+\/\*?$/.test(word)) return prefixCriterion([word.replace('*', '')])
  if (/^[a-z]+\/[^\s/*]+$/.test(word)) return exactCriterion(word)
  if (KINDS_WITHOUT_PREFIX.includes(word))
    return {matches: ({mimeType}) => kindWord(String(mimeType)) === word}
  if (!/^[\w+-]{1,20}$/.test(word)) {
    throw new UsageError(
      `Invalid --type: "${text}" is not a file type.`,
      'Use a word such as folder, image or doc, an extension such as pdf, or a media type.',
    )
  }
  const {default: mime} = await import('mime')
  const type = mime.getType(word)
  return {
    matches: ({title, mimeType}) =>
      mimeType !== FOLDER_TYPE &&
      ((type !== null && mimeType === type) || String(title).toLowerCase().endsWith(`.${word}`)),
  }
}

function prefixCriterion(prefixes: readonly string[]): Criterion {
  return {
    term: queryAnyOf(prefixes, start => `mimeType contains ${queryValue(start)}`),
    matches: ({mimeType}) =>
      prefixes.some(start => String(mimeType).toLowerCase().startsWith(start)),
  }
}

function exactCriterion(type: string): Criterion {
  return {
    term: `mimeType = ${queryValue(type)}`,
    matches: ({mimeType}) => String(mimeType).toLowerCase() === type,
  }
}
