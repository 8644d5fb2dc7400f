import {isPart} from '#lib/transfer/target.js'

/**
 * Converts titles to file names and back. Characters that are not allowed in file names are replaced as
 * in rclone: `／` for a slash, `␊` for a line feed. `‛` before such a replacement means that the title
 * itself contains it; before four hexadecimal digits, it encodes that code unit; at the start of a
 * name, it escapes a reserved name. The encoding is reversible on systems of the same kind.
 */

/** The folder for files that `pull --delete` removes; never part of a tree. */
export const REMOVED_FOLDER = '.drv-trash'

const QUOTE = '\u201b'

/** The slash, and characters that affect terminals: controls, line separators, bidirectional marks. */
const FORBIDDEN =
  '/\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069'
const FORBIDDEN_ON_WINDOWS = '\\\\:*?"<>|'
const STAND_INS = '\\uff0f\\u2400-\\u241f\\u2421'
const STAND_INS_ON_WINDOWS = '\\uff3c\\uff1a\\uff0a\\uff1f\\uff02\\uff1c\\uff1e\\uff5c'

/** Regular expressions for encoding titles and decoding names. */
interface Alphabet {
  /** Characters that are not allowed anywhere in a name. */
  readonly forbidden: RegExp
  /** Group 1: a forbidden character. Otherwise: a character that needs a quote. */
  readonly encoded: RegExp
  /** Groups: digits of a code unit, a quoted character, a replacement. */
  readonly decoded: RegExp
}

const ELSEWHERE = alphabetOf(`[${FORBIDDEN}]|\\p{Cs}`, `[${STAND_INS}]`)
const WINDOWS = alphabetOf(
  `[${FORBIDDEN}${FORBIDDEN_ON_WINDOWS}]|\\p{Cs}`,
  `[${STAND_INS}${STAND_INS_ON_WINDOWS}]`,
  // Windows removes dots and spaces at the end of a name.
  {forbidden: '[. ]$', standIn: '[\\uff0e\\u2420]$'},
)

function alphabetOf(
  anywhere: string,
  standInAnywhere: string,
  atEnd?: {readonly forbidden: string; readonly standIn: string},
): Alphabet {
  const forbidden = atEnd ? `${anywhere}|${atEnd.forbidden}` : anywhere
  const standIn = atEnd ? `${standInAnywhere}|${atEnd.standIn}` : standInAnywhere
  const digits = '[\\dA-F]{4}'
  return {
    forbidden: new RegExp(anywhere, 'gu'),
    encoded: new RegExp(
      `(${forbidden})|${standIn}|${QUOTE}(?=${QUOTE}|${forbidden}|${standIn}|${digits})`,
      'gu',
    ),
    decoded: new RegExp(`${QUOTE}(?:(${digits})|(${QUOTE}|${standIn}))|(${standIn})`, 'gu'),
  }
}

const alphabetFor = (isWindows: boolean) => (isWindows ? WINDOWS : ELSEWHERE)

/** The file name for a title, unchanged if valid. It may be too long for a file system. */
export function encodeName(title: string, isWindows: boolean): string {
  const body = title.replace(alphabetFor(isWindows).encoded, (found, forbidden?: string) =>
    forbidden === undefined ? QUOTE + found : standInFor(forbidden),
  )
  return isTakenName(body) ? QUOTE + body : body
}

/** The title for a file name; the name itself if `encodeName` does not produce it. */
export function decodeName(name: string, isWindows: boolean): string {
  const body = name.startsWith(QUOTE) && isTakenName(name.slice(1)) ? name.slice(1) : name
  const title = body.replace(
    alphabetFor(isWindows).decoded,
    (_, digits?: string, quoted?: string, standIn?: string) => {
      if (digits !== undefined) return String.fromCharCode(parseInt(digits, 16))
      return quoted ?? originalOf(standIn!)
    },
  )
  return title === name || encodeName(title, isWindows) === name ? title : name
}

/** The title that a file gets for its name: never empty, because the service would assign one. */
export function titleForName(name: string, isWindows: boolean): string {
  return decodeName(name, isWindows) || name
}

/** A title with `_` for each forbidden character. Not reversible. */
export function cleanName(title: string, isWindows: boolean): string {
  return title.replace(alphabetFor(isWindows).forbidden, '_')
}

/** Names of devices on Windows, with or without an extension. */
const DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?$/i

/** Whether a name is a device on Windows. */
export function isDevice(name: string): boolean {
  return DEVICE.test(name)
}

/** Whether a name is reserved: dots only, a device, or a name that drv uses itself. */
function isReserved(name: string): boolean {
  return (
    /^\.*$/.test(name) || isDevice(name) || name.toLowerCase() === REMOVED_FOLDER || isPart(name)
  )
}

/** Whether a name is reserved, possibly with leading quotes; it then needs another quote. */
function isTakenName(name: string): boolean {
  return isReserved(name.replace(LEADING_QUOTES, ''))
}

const LEADING_QUOTES = new RegExp(`^${QUOTE}+`)

/** Control pictures for controls, full-width forms for other ASCII, else hexadecimal digits. */
function standInFor(character: string): string {
  const code = character.charCodeAt(0)
  if (code <= 0x20) return String.fromCharCode(code + PICTURES)
  if (code === DELETE) return PICTURE_OF_DELETE
  if (code < DELETE) return String.fromCharCode(code + FULL_WIDTH)
  return QUOTE + code.toString(16).toUpperCase().padStart(4, '0')
}

function originalOf(standIn: string): string {
  if (standIn === PICTURE_OF_DELETE) return String.fromCharCode(DELETE)
  const code = standIn.charCodeAt(0)
  return String.fromCharCode(code - (code > FULL_WIDTH ? FULL_WIDTH : PICTURES))
}

const DELETE = 0x7f
const PICTURES = 0x2400
const PICTURE_OF_DELETE = '\u2421'
const FULL_WIDTH = 0xfee0
