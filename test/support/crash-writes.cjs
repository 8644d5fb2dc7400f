// The forms of writing in Node's API, for crash-point.cjs.
'use strict'

exports.bytesOf = bytesOf
exports.positionOf = positionOf
exports.wrapWholeWrites = wrapWholeWrites

/** The bytes that `write(fd, data, offset, length)` and its other forms write. */
function bytesOf(data, offset, length) {
  if (typeof data === 'string')
    return Buffer.from(data, typeof length === 'string' ? length : 'utf8')
  const bytes = ArrayBuffer.isView(data)
    ? Buffer.from(data.buffer, data.byteOffset, data.byteLength)
    : Buffer.from(String(data))
  if (offset !== null && typeof offset === 'object')
    return bytesOf(bytes, offset.offset, offset.length)
  const start = offset ?? 0
  return bytes.subarray(start, length === undefined ? undefined : start + length)
}
function positionOf(data, offset, position) {
  if (typeof data === 'string') return typeof offset === 'number' ? offset : null
  if (offset !== null && typeof offset === 'object') return offset.position ?? null
  return typeof position === 'number' ? position : null
}

/** Makes writing a whole file open it and write it, so that both count. */
function wrapWholeWrites(fs, real) {
  const optionsOf = given => (typeof given === 'string' ? {encoding: given} : (given ?? {}))
  function writeWhole(flagOf) {
    return (file, data, given) => {
      const {mode = 0o666, encoding, flag = flagOf} = optionsOf(given)
      const bytes = typeof data === 'string' ? Buffer.from(data, encoding ?? 'utf8') : bytesOf(data)
      const descriptor = typeof file === 'number' ? file : fs.openSync(file, flag, mode)
      try {
        for (let done = 0; done < bytes.length;) done += fs.writeSync(descriptor, bytes, done)
      } finally {
        if (descriptor !== file) real.closeSync(descriptor)
      }
    }
  }
  fs.writeFileSync = writeWhole('w')
  fs.appendFileSync = writeWhole('a')
  function writeWholeLater(flagOf) {
    return async (file, data, given) => {
      if (typeof file === 'object' && 'fd' in file) return file.writeFile(data, given)
      const {mode = 0o666, flag = flagOf} = optionsOf(given)
      const handle = await fs.promises.open(file, flag, mode)
      try {
        await handle.writeFile(data, given)
      } finally {
        await handle.close()
      }
    }
  }
  fs.promises.writeFile = writeWholeLater('w')
  fs.promises.appendFile = writeWholeLater('a')
}
