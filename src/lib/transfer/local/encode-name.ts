import {isPart} from '#lib/transfer/target.js'

/**
 * Titles as file names, and back. A title may hold what no file name can, so each such character
 * gets a stand-in: `／` for a slash, `␊` for a line feed, as rclone does. `‛` before a stand-in says
 * that the title itself holds it; before four hexadecimal digits it stands for that code unit; in
 * front of a name it keeps apart what would be a reserved one. Every title leads to a name of its
 * own, so a name leads back to its title, on any machine of the same kind.
 */

/** Where a pull that mirrors puts what the service does not have; no part of any tree. */
export const ASIDE = '.drv-trash'

const QUOTE = '\u201b'

/** The slash, and what a terminal would act on: controls, line separators, bidirectional marks. */
const FORBIDDEN =
  '/\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069'
const FORBIDDEN_ON_WINDOWS = '\\\\:*?"<>|'
const STAND_INS = '\\uff0f\\u2400-\\u241f\\u2421'
const STAND_INS_ON_WINDOWS = '\\uff3c\\uff1a\\uff0a\\uff1f\\uff02\\uff1c\\uff1e\\uff5c'

/** The expressions that find what has to be replaced, in titles and in names. */
interface Alphabet {
  /** Characters that no name has, wherever they are. */
  readonly forbidden: RegExp
  /** Group 1: a forbidden character; otherwise one that needs a quote. */
  readonly encoded: RegExp
  /** Groups: digits of a code unit, a quoted character, a stand-in. */
  readonly decoded: RegExp
}

const ELSEWHERE = alphabetOf(`[${FORBIDDEN}]|\\p{Cs}`, `[${STAND_INS}]`)
const WINDOWS = alphabetOf(
  `[${FORBIDDEN}${FORBIDDEN_ON_WINDOWS}]|\\p{Cs}`,
  `[${STAND_INS}${STAND_INS_ON_WINDOWS}]`,
  // Windows drops dots and blanks from the end of a name.
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

/** The file name for a title: the title itself where that is safe. It may be too long for a disk. */
export function encodeName(title: string, isWindows: boolean): string {
  const body = title.replace(alphabetFor(isWindows).encoded, (found, forbidden?: string) =>
    forbidden === undefined ? QUOTE + found : standInFor(forbidden),
  )
  return isTakenName(body) ? QUOTE + body : body
}

/** The title that a file name stands for: the name itself where `encodeName` would not give it. */
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

/** A title with `_` for each character that no name has here, or none on Windows. Does not lead back. */
export function cleanName(title: string, isWindows: boolean): string {
  return title.replace(alphabetFor(isWindows).forbidden, '_')
}

/** Names that mean a device to Windows, with or without an ending. */
const DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?$/i

/** Whether a name means a device to Windows. */
export function isDevice(name: string): boolean {
  return DEVICE.test(name)
}

/** Whether a name means something else: no file, a device, or what drv itself leaves in a folder. */
function isReserved(name: string): boolean {
  return /^\.*$/.test(name) || isDevice(name) || name.toLowerCase() === ASIDE || isPart(name)
}

/** The same, for a name that is a reserved one behind quotes too: it needs one more. */
function isTakenName(name: string): boolean {
  return isReserved(name.replace(LEADING_QUOTES, ''))
}

const LEADING_QUOTES = new RegExp(`^${QUOTE}+`)

/** Control characters have pictures, others a full-width form, and the rest its digits. */
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
