/** The types that each format applies to (reference: description-format.md, section 3). */
export const FORMATS: Readonly<Record<string, readonly string[]>> = {
  int32: ['integer'],
  uint32: ['integer'],
  int64: ['string'],
  uint64: ['string'],
  float: ['number'],
  double: ['number'],
  byte: ['string'],
  date: ['string'],
  'date-time': ['string'],
  'google-datetime': ['string'],
  'google-duration': ['string'],
  'google-fieldmask': ['string'],
  'google.protobuf.Any': ['object', 'any'],
  'google.protobuf.Value': ['object', 'any'],
}

/** Whether a format is known; readers ignore unknown formats. */
export function isFormat(name: string | undefined): name is string {
  return name !== undefined && Object.hasOwn(FORMATS, name)
}

/** Numbers in descriptions are decimal text. */

/** Maximum number of characters of a number; longer ones are not evaluated. */
export const LONGEST_NUMBER = 400

export function isDecimal(text: string): boolean {
  return text.length <= LONGEST_NUMBER && /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text)
}

/** Whether both texts are numbers and the first is greater; integers are compared exactly. */
export function isAbove(one: string, other: string): boolean {
  if (!isDecimal(one) || !isDecimal(other)) return false
  const isWhole = [one, other].every(text => /^[+-]?\d+$/.test(text))
  return isWhole ? whole(one) > whole(other) : Number(one) > Number(other)
}

function whole(text: string): bigint {
  return BigInt(text.replace(/^\+/, ''))
}

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB']

/** The bytes of a `maxSize` such as `2GB`, or plain digits; `undefined` if invalid (reference: section 6). */
export function parseMaxSize(size: string): number | undefined {
  const [, digits, unit = 'B'] = /^(\d+)([KMGT]?B)?$/i.exec(size) ?? []
  return digits === undefined
    ? undefined
    : Number(digits) * 1024 ** UNITS.indexOf(unit.toUpperCase())
}
