/** Bytes from `start` to `end` inclusive. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/**
 * Which part of `size` bytes a `Range` header asks for (reference: protocols.md, section 3).
 * `undefined` means all of it: there is no header, it is malformed, or it asks for several parts.
 * `unsatisfiable` means none of the bytes asked for are there (416).
 */
export function requestedRange(
  header: string | undefined,
  size: number,
): ByteRange | 'unsatisfiable' | undefined {
  const [, first, last] = /^\s*bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(header ?? '') ?? []
  if (first === undefined || last === undefined) return undefined
  if (first === '') {
    if (last === '') return undefined
    const length = Math.min(Number(last), size)
    return length === 0 ? 'unsatisfiable' : {start: size - length, end: size - 1}
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return undefined
  if (start >= size) return 'unsatisfiable'
  return {start, end: last === '' ? size - 1 : Math.min(Number(last), size - 1)}
}
