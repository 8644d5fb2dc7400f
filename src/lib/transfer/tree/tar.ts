/** Headers and padding of the tar format (POSIX.1-2001, pax). */

export interface TarEntry {
  /** Relative path with `/`, without a trailing slash. */
  readonly path: string
  readonly isFolder: boolean
  /** Size in bytes. */
  readonly size: number
  /** Milliseconds since 1970. */
  readonly modified?: number
}

const BLOCK = 512
/** The largest number in eleven octal digits. */
const MOST_OCTAL = 0o77777777777
/** Sizes in bytes of the two fields for a path. */
const MOST_NAME = 100
const MOST_PREFIX = 155

/** The end of an archive: two empty blocks. */
export const TAR_END = Buffer.alloc(2 * BLOCK)

/** The header of an entry, after a pax header if a plain one cannot hold the path or size. */
export function tarHeader({path, isFolder, size, modified}: TarEntry): Buffer {
  const name = isFolder ? `${path}/` : path
  const split = splitPath(name)
  const isLarge = size > MOST_OCTAL
  const plain = headerBlock({
    ...(split ?? {name: asciiStart(name), prefix: ''}),
    size: isLarge ? 0 : size,
    type: isFolder ? '5' : '0',
    mode: isFolder ? 0o755 : 0o644,
    modified,
  })
  const records = [
    ...(split ? [] : [paxRecord('path', name)]),
    ...(isLarge ? [paxRecord('size', String(size))] : []),
  ]
  if (records.length === 0) return plain
  const body = Buffer.concat(records)
  const head = headerBlock({
    ...{name: 'PaxHeader', prefix: '', type: 'x', mode: 0o644},
    size: body.length,
  })
  return Buffer.concat([head, body, tarPadding(body.length), plain])
}

/** The zeros that pad content of `size` bytes to whole blocks. */
export function tarPadding(size: number): Buffer {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK)
}

interface HeaderFields {
  readonly name: string
  readonly prefix: string
  readonly size: number
  /** A file, a folder, or pax records. */
  readonly type: '0' | '5' | 'x'
  readonly mode: number
  readonly modified?: number
}

function headerBlock({name, prefix, size, type, mode, modified = 0}: HeaderFields): Buffer {
  const block = Buffer.alloc(BLOCK)
  const text = (value: string, at: number) => block.write(value, at, 'latin1')
  const octal = (value: number, at: number, length: number) =>
    text(`${value.toString(8).padStart(length - 1, '0')}\0`, at)
  text(name, 0)
  octal(mode, 100, 8)
  // Owner and group.
  octal(0, 108, 8)
  octal(0, 116, 8)
  octal(size, 124, 12)
  octal(Math.max(0, Math.min(MOST_OCTAL, Math.floor(modified / 1000))), 136, 12)
  // The checksum treats its own field as spaces.
  text(' '.repeat(8), 148)
  text(type, 156)
  text('ustar\0' + '00', 257)
  text(prefix, 345)
  const sum = block.reduce((total, byte) => total + byte, 0)
  text(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

/** A path split into the two fields of a plain header; `undefined` if it is too long or not ASCII. */
function splitPath(path: string): Pick<HeaderFields, 'name' | 'prefix'> | undefined {
  if (!/^[\x20-\x7e]*$/.test(path)) return undefined
  if (path.length <= MOST_NAME) return {name: path, prefix: ''}
  // A trailing slash belongs to the name.
  const at = path.lastIndexOf('/', Math.min(MOST_PREFIX, path.length - 2))
  const name = path.slice(at + 1)
  return at > 0 && name.length <= MOST_NAME ? {name, prefix: path.slice(0, at)} : undefined
}

/** The start of a path in ASCII, for programs that do not read pax headers. */
function asciiStart(path: string): string {
  return path.replace(/[^\x20-\x7e]/g, '_').slice(0, MOST_NAME)
}

/** A pax record, `LENGTH KEY=VALUE\n`; the length includes its own digits. */
function paxRecord(key: string, value: string): Buffer {
  const rest = Buffer.byteLength(` ${key}=${value}\n`)
  let length = rest
  while (rest + String(length).length !== length) length = rest + String(length).length
  return Buffer.from(`${length} ${key}=${value}\n`)
}
