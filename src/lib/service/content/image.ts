/** Width and height in pixels. */
export interface ImageSize {
  readonly width: number
  readonly height: number
}

/** How much of the start of an image `imageSize` wants to see, in bytes. */
export const IMAGE_HEADER_LIMIT = 256 * 1024

/** The size that the header of a PNG, GIF or JPEG names; `undefined` for anything else. */
export function imageSize(start: Buffer): ImageSize | undefined {
  if (start.length >= 24 && start.toString('latin1', 1, 4) === 'PNG') {
    return sized(start.readUInt32BE(16), start.readUInt32BE(20))
  }
  if (start.length >= 10 && /^GIF8[79]a$/.test(start.toString('latin1', 0, 6))) {
    return sized(start.readUInt16LE(6), start.readUInt16LE(8))
  }
  return start.length >= 4 && start.readUInt16BE(0) === 0xffd8 ? jpegSize(start) : undefined
}

/** Walks the segments of a JPEG to the one that begins a frame. */
function jpegSize(start: Buffer): ImageSize | undefined {
  for (let at = 2; at + 9 <= start.length && start[at] === 0xff;) {
    const marker = start[at + 1]!
    // C4, C8 and CC share the range of frame markers without being any.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return sized(start.readUInt16BE(at + 7), start.readUInt16BE(at + 5))
    }
    at += 2 + start.readUInt16BE(at + 2)
  }
  return undefined
}

function sized(width: number, height: number): ImageSize | undefined {
  return width > 0 && height > 0 ? {width, height} : undefined
}
