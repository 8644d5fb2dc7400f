import {crc32, deflateSync} from 'node:zlib'

/** The icon of the API as a picture: a folder, drawn here, for the description names one of each size. */

const INK = [0x22, 0x57, 0xc9, 0xff] as const
const NOTHING = [0, 0, 0, 0] as const

/** A PNG with so many pixels to a side. */
export function apiIcon(size: number): Buffer {
  const rows = Array.from({length: size}, (_, y) => [
    // No filter.
    0,
    ...Array.from({length: size}, (_, x) => (isFolder(x / size, y / size) ? INK : NOTHING)).flat(),
  ])
  const header = Buffer.alloc(13)
  header.writeUInt32BE(size, 0)
  header.writeUInt32BE(size, 4)
  // Eight bits a channel, with transparency.
  header.set([8, 6], 8)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.from(rows.flat()))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Whether a folder on a square of side 1 covers a spot; its tab is at the top left. */
function isFolder(x: number, y: number): boolean {
  const isInside = (left: number, top: number, right: number, bottom: number) =>
    x >= left && x < right && y >= top && y < bottom
  return isInside(0.0625, 0.25, 0.9375, 0.875) || isInside(0.0625, 0.125, 0.4375, 0.25)
}

/** A part of a PNG: its length, its type, what it holds, and a checksum of both. */
function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}
