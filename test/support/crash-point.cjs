// Preloaded into drv: numbers the points at which drv changes the disk or talks to a service, writes them as lines of
// JSON to a file, and fails at one of them. CRASH_POINT has the options as JSON:
//   list     the file for the lines
//   roots    the folders whose files count; the first one has the files of drv, not those of the user
//   except   a folder in them whose files do not
//   spare    an empty folder on the same file system, for files that a power failure brings back
//   process  a variable that the process has in which points count, if that is not the first one
//   at, how  the number of the point, or its kind and path, and what happens there:
//     kill     the process is killed before the operation
//     half     … after half of the bytes of a write
//     lost     the power fails: directory entries are on disk, unflushed content is not
//     zeroed   … and unflushed content is zeros
//     undone   … neither directory entries nor content since the last flush are on disk
//     ENOSPC, EDQUOT, EROFS, EIO, EMFILE: the operation fails; on a full or read-only disk, so do all later ones
'use strict'
const {isMainThread} = require('node:worker_threads')
if (isMainThread && process.env.CRASH_POINT) {
  const options = JSON.parse(process.env.CRASH_POINT)
  if (!options.process || process.env[options.process] !== undefined) {
    start(options)
    delete process.env.CRASH_POINT
  }
}

function start({list, roots, except, spare, at, how}) {
  const fs = require('node:fs')
  const {basename, dirname, join, resolve} = require('node:path')
  const {fileURLToPath} = require('node:url')
  const {bytesOf, positionOf, wrapWholeWrites} = require('./crash-writes.cjs')
  const disk = require('./crash-disk.cjs').createDisk(
    fs,
    spare,
    path => isBelow(path, roots[0]) || path.endsWith('.part'),
  )
  const real = {...fs}
  const realPromises = {...fs.promises}
  const log = real.openSync(list, 'a')

  let count = 0
  /** Whether the point was reached. */
  let isDue = false
  /** Operations of the wrapped functions inside each other count once. */
  let depth = 0
  let broken

  /** The real path of a file that counts, by path or descriptor. */
  function pathOf(file) {
    if (typeof file === 'number') return counted(linkOf(file))
    const path = resolve(file instanceof URL ? fileURLToPath(file) : String(file))
    try {
      return counted(join(real.realpathSync.native(dirname(path)), basename(path)))
    } catch {
      return counted(path)
    }
  }
  function linkOf(descriptor) {
    try {
      return real.readlinkSync(`/proc/self/fd/${descriptor}`)
    } catch {
      return ''
    }
  }
  const isBelow = (path, folder) => path === folder || path.startsWith(`${folder}/`)
  const counted = path =>
    roots.some(root => isBelow(path, root)) &&
    !(except && isBelow(path, except)) &&
    !path.endsWith(' (deleted)')
      ? path
      : undefined

  /** Counts an operation and fails if it is the one. `half` does half of it. Throws the simulated error. */
  function reach(kind, path, {half, bytes} = {}) {
    if (disk.isFailing()) return
    count += 1
    const unflushed = disk.unflushed()
    real.writeSync(log, `${JSON.stringify({at: count, kind, path, bytes, ...unflushed})}\n`)
    if (broken && fails(kind)) throw failure(broken, kind, path)
    isDue ||= count === at || `${kind} ${path}` === at
    // In another order than in the rehearsal, a disk fails at the next operation.
    if (!isDue || (/^E/.test(how) && isRemote(kind))) return
    isDue = false
    if (how === 'half') half?.()
    if (['lost', 'zeroed', 'undone'].includes(how)) disk.fail(how)
    if (/^E/.test(how)) {
      if (how === 'ENOSPC' || how === 'EDQUOT') half?.()
      if (how !== 'EIO' && how !== 'EMFILE') broken = how
      throw failure(how, kind, path)
    }
    process.kill(process.pid, 'SIGKILL')
  }

  const isRemote = kind => kind === 'request' || kind === 'response'

  /** Whether an operation fails on the broken disk; removing and renaming works on a full one. */
  const fails = kind =>
    broken === 'EROFS'
      ? !isRemote(kind)
      : ['create', 'write', 'link', 'symlink', 'mkdir', 'copyFile'].includes(kind)

  function failure(code, syscall, path) {
    const {errno} = require('node:os').constants
    const error = new Error(`${code}: simulated, ${syscall} '${path}'`)
    return Object.assign(error, {code, errno: -errno[code], syscall, path})
  }

  function inside(work) {
    depth += 1
    try {
      return work()
    } finally {
      depth -= 1
    }
  }

  const isFlag = (flags, bit) => (flags & bit) !== 0
  const {O_CREAT, O_TRUNC, O_WRONLY, O_RDWR, O_APPEND} = fs.constants
  const FLAGS = {
    w: O_CREAT | O_TRUNC | O_WRONLY,
    'w+': O_CREAT | O_TRUNC | O_RDWR,
    wx: O_CREAT | O_WRONLY,
    'wx+': O_CREAT | O_RDWR,
    a: O_CREAT | O_APPEND | O_WRONLY,
    'a+': O_CREAT | O_APPEND | O_RDWR,
    ax: O_CREAT | O_APPEND | O_WRONLY,
  }

  /** Counts the opening of a file if it creates or empties one. */
  function beforeOpen(file, flags = 'r') {
    const bits = typeof flags === 'number' ? flags : (FLAGS[flags] ?? 0)
    if (!isFlag(bits, O_CREAT | O_TRUNC)) return
    const path = pathOf(file)
    if (path === undefined) return
    const facts = real.lstatSync(path, {throwIfNoEntry: false})
    if (!facts && isFlag(bits, O_CREAT)) {
      reach('create', path)
      disk.willCreate(path)
    } else if (facts?.isFile() && facts.size > 0 && isFlag(bits, O_TRUNC)) {
      reach('truncate', path)
      disk.willWrite(path)
    }
  }

  function beforeWrite(descriptor, bytes, position = null) {
    const path = pathOf(descriptor)
    if (path === undefined || bytes.length === 0) return
    const half = () => real.writeSync(descriptor, bytes, 0, bytes.length >> 1, position)
    reach('write', path, {half: bytes.length > 1 ? half : undefined, bytes: bytes.length})
    disk.willWrite(path)
  }

  /** What happens before each function that gets paths; its name is the kind of the point. */
  const onPaths = {
    rename(from, to) {
      const [source, target] = [pathOf(from), pathOf(to)]
      if (source === undefined && target === undefined) return
      reach('rename', target ?? source)
      disk.willRename(source ?? resolve(String(from)), target ?? resolve(String(to)))
    },
    link(from, to) {
      const path = pathOf(to)
      if (path === undefined) return
      reach('link', path)
      disk.willLink(pathOf(from), path)
    },
    symlink(_, to) {
      const path = pathOf(to)
      if (path === undefined) return
      reach('symlink', path)
      disk.willCreate(path)
    },
    unlink: removing('unlink'),
    rm: removing('rm'),
    rmdir: removing('rmdir'),
    mkdir(folder) {
      const path = pathOf(folder)
      if (path === undefined || real.existsSync(path)) return
      // Attempts without a parent folder fail.
      if (!real.existsSync(dirname(path))) return
      reach('mkdir', path)
      disk.willMakeFolder(path)
    },
    copyFile(_, to) {
      const path = pathOf(to)
      if (path === undefined) return
      reach('copyFile', path)
      disk.willCreate(path)
    },
    truncate(file) {
      const path = pathOf(file)
      if (path === undefined) return
      reach('truncate', path)
      disk.willWrite(path)
    },
    chmod: touching('chmod'),
    utimes: touching('utimes'),
    lutimes: touching('utimes'),
  }
  /** What is being removed as a whole, by operations that do not count. */
  const removed = new Set()
  function removing(kind) {
    return file => {
      const path = pathOf(file)
      if (path === undefined || !real.lstatSync(path, {throwIfNoEntry: false})) return
      if (kind !== 'rm' && [...removed].some(whole => isBelow(path, whole))) return
      if (kind === 'rm') removed.add(path)
      reach(kind, path)
      disk.willRemove(path)
    }
  }
  function touching(kind) {
    return file => {
      const path = pathOf(file)
      if (path !== undefined) reach(kind, path)
    }
  }
  const onDescriptors = {
    fsync: flushing,
    fdatasync: flushing,
    ftruncate: onPaths.truncate,
    fchmod: onPaths.chmod,
    futimes: onPaths.utimes,
    write: (fd, data, offset, length, position) =>
      beforeWrite(fd, bytesOf(data, offset, length), positionOf(data, offset, position)),
    writev: (fd, buffers, position) => beforeWrite(fd, Buffer.concat(buffers), position ?? null),
  }
  function flushing(descriptor) {
    const path = pathOf(descriptor)
    if (path === undefined) return
    reach('flush', path)
    disk.flushed(path)
  }

  /** Replaces the synchronous, callback and promise forms of a function. */
  function wrap(name, before) {
    const counting = (...given) => {
      if (depth === 0) before(...given)
    }
    const sync = `${name}Sync`
    fs[sync] = (...given) => {
      counting(...given)
      return inside(() => real[sync](...given))
    }
    fs[name] = (...given) => {
      try {
        counting(...given)
      } catch (error) {
        return void process.nextTick(given.at(-1), error)
      }
      // The promise form of Node is found by this property.
      return real[name](...given)
    }
    if (!realPromises[name]) return
    fs.promises[name] = async (...given) => {
      counting(...given)
      return realPromises[name](...given)
    }
  }
  for (const [name, before] of Object.entries({...onPaths, ...onDescriptors})) {
    if (real[name]) wrap(name, before)
  }
  wrap('open', beforeOpen)
  const openHandle = fs.promises.open
  let isHandleWrapped = false
  fs.promises.open = async (...given) => {
    const handle = await openHandle(...given)
    if (!isHandleWrapped) wrapHandle(Object.getPrototypeOf(handle))
    isHandleWrapped = true
    return handle
  }

  function wrapHandle(prototype) {
    const before = {
      write: (fd, data, offset, length, position) =>
        beforeWrite(fd, bytesOf(data, offset, length), positionOf(data, offset, position)),
      writev: (fd, buffers, position) => beforeWrite(fd, Buffer.concat(buffers), position ?? null),
      writeFile: (fd, data) => beforeWrite(fd, bytesOf(data)),
      appendFile: (fd, data) => beforeWrite(fd, bytesOf(data)),
      truncate: onPaths.truncate,
      sync: flushing,
      datasync: flushing,
      chmod: onPaths.chmod,
      utimes: onPaths.utimes,
    }
    for (const [name, counting] of Object.entries(before)) {
      const method = prototype[name]
      prototype[name] = async function (...given) {
        counting(this.fd, ...given)
        return method.apply(this, given)
      }
    }
  }

  wrapWholeWrites(fs, real)

  for (const client of [require('node:http'), require('node:https')]) {
    const {request} = client
    client.request = (...given) => {
      const [first, second] = given
      const {
        method = 'GET',
        pathname,
        path = pathname,
      } = typeof second === 'object' ? second : first
      const where = `${method} ${(first.pathname ?? path ?? '').split('?')[0]}`
      reach('request', where)
      const sent = request(...given)
      sent.prependListener('response', () => reach('response', where))
      return sent
    }
  }
}
