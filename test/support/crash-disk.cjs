// What a power failure leaves on ext4 and XFS, which write directory entries in order, and all earlier ones with each
// flush (fsync) of any file. Content arrives before or after them: a new or longer file can have its old length, or
// its new length and zeros.
'use strict'
const {join} = require('node:path')

exports.createDisk = (fs, spare, isState) => {
  const real = {...fs}
  /** The content at the last flush, by path, of files that were written since. */
  let contents = new Map()
  /** Functions that reverse the changes of directories since the last flush, the oldest first. */
  let reversals = []
  let spares = 0
  let isFailing = false

  /** Keeps a file for `undone`. */
  function keep(path) {
    const kept = join(spare, String(++spares))
    try {
      real.linkSync(path, kept)
    } catch {
      return undefined
    }
    return kept
  }
  const attempt = work => {
    try {
      work()
    } catch {
      // A later change has removed it.
    }
  }

  /** Gives a file its content at the last flush, or that and zeros. */
  function restore(path, content, how) {
    const file = real.openSync(path, 'r+')
    const {size, mtime} = real.fstatSync(file)
    real.ftruncateSync(file, 0)
    real.writeSync(file, content)
    // A whole new file of zeros with its full length is rare; logs that end in zeros are common.
    if (how === 'zeroed' && isState(path)) real.ftruncateSync(file, Math.max(size, content.length))
    // Starting the machine again takes longer than locks of unknown owners count.
    const time = isState(path) ? new Date(Date.now() - 60_000) : mtime
    real.futimesSync(file, time, time)
    real.closeSync(file)
  }

  function moveContents(from, to) {
    const moved = new Map()
    for (const [path, content] of contents) {
      const isInside = path === from || path.startsWith(`${from}/`)
      if (isInside) moved.set(to + path.slice(from.length), content)
      else if (path !== to) moved.set(path, content)
    }
    contents = moved
  }

  return {
    isFailing: () => isFailing,
    unflushed: () => ({contents: contents.size, entries: reversals.length}),
    willCreate(path) {
      contents.set(path, Buffer.alloc(0))
      reversals.push(() => real.unlinkSync(path))
    },
    willMakeFolder(path) {
      reversals.push(() => real.rmdirSync(path))
    },
    willWrite(path) {
      if (!contents.has(path)) attempt(() => contents.set(path, real.readFileSync(path)))
    },
    willLink(from, to) {
      if (contents.has(from)) contents.set(to, contents.get(from))
      reversals.push(() => real.unlinkSync(to))
    },
    willRename(from, to) {
      const kept = keep(to)
      moveContents(from, to)
      reversals.push(() => {
        real.renameSync(to, from)
        if (kept) real.linkSync(kept, to)
      })
    },
    willRemove(path) {
      const facts = real.lstatSync(path)
      if (facts.isDirectory()) {
        // Its files would have to be kept one by one; it counts as flushed.
        reversals = []
        return
      }
      const kept = keep(path)
      const content = contents.get(path)
      contents.delete(path)
      reversals.push(() => {
        if (kept) real.linkSync(kept, path)
        if (content) restore(path, content)
      })
    },
    flushed(path) {
      const {ino} = real.statSync(path)
      for (const other of contents.keys()) {
        if (real.statSync(other, {throwIfNoEntry: false})?.ino === ino) contents.delete(other)
      }
      reversals = []
    },
    /** Leaves what the power failure leaves. */
    fail(how) {
      isFailing = true
      for (const [path, content] of contents) attempt(() => restore(path, content, how))
      if (how !== 'undone') return
      for (const reverse of reversals.toReversed()) attempt(reverse)
    },
  }
}
