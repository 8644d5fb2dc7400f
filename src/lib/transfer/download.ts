import {existsSync, rmSync} from 'node:fs'
import {basename, dirname, resolve} from 'node:path'
import type {Writable} from 'node:stream'
import {writeWhole} from '#lib/platform/write-file.js'
import type {DownloadEntry} from '#lib/transfer/journal/entry.js'
import {type Claim, forgetDone, isOver, type Journal} from '#lib/transfer/journal/journal.js'
import {
  type HeldFolder,
  holdBelow,
  namedFolder,
  withGivenPath,
} from '#lib/transfer/local/held-folder.js'
import {openContent} from './content.js'
import {TransferError} from './errors.js'
import {openPart, type PartFile, type Sink} from './part-file.js'
import {type ContentFacts, receiveContent} from './receive.js'
import {damaged, memorySink, streamSink} from './sinks.js'
import {checkDownloadTarget, diskError, ownPartOf, partOf, putInPlace} from './target.js'
import {type Download, type Saved, type World} from './types.js'

/** Maximum size in bytes of content that is buffered in memory, with no partial file to resume from. */
const SMALL = 1024 * 1024

/**
 * Downloads content to a path. Until it is complete and its MD5 correct, the content is in a partial file beside the
 * target; a later run resumes an interrupted download. Throws `TransferError` and the errors of the client.
 */
export async function downloadFile(world: World, download: Download): Promise<Saved> {
  const path = resolve(download.path)
  const part = partOf(path)
  const wanted = {...download, path}
  try {
    await inFolder(wanted, folder => checkDownloadTarget(folder, wanted, part))
  } catch (error) {
    const before = isTaken(error) && (await finishedBefore(world, wanted, part))
    if (before) return before
    throw diskError(error, path)
  }
  try {
    return download.size !== undefined && download.size <= SMALL
      ? await downloadWhole(world, wanted)
      : await downloadPart(world, wanted, part)
  } catch (error) {
    throw diskError(error, path)
  }
}

/** Runs `work` in the target's folder, which is opened again each time: a link may have replaced it. */
async function inFolder<T>(
  {path, root}: Download,
  work: (folder: HeldFolder) => T | Promise<T>,
): Promise<T> {
  const above = dirname(path)
  const folder = root === undefined ? namedFolder(above) : holdBelow(root, above)
  try {
    return await work(folder)
  } catch (error) {
    throw withGivenPath(error, folder)
  } finally {
    folder.close()
  }
}

const isTaken = (error: unknown) => error instanceof TransferError && error.kind === 'conflict'

/** Copies content to a stream without closing it. After an error the stream has part of the content. */
export async function downloadTo(
  world: World,
  download: Pick<Download, 'operation' | 'params' | 'md5' | 'size' | 'onProgress'>,
  stream: Writable,
): Promise<void> {
  const sink = streamSink(stream)
  await receiveContent({...download, world, sink})
  await check(download, sink)
}

/** Downloads small content to memory, and writes it once it is verified. */
async function downloadWhole(world: World, download: Download): Promise<Saved> {
  const {path, modified} = download
  const sink = memorySink(download.size ?? SMALL)
  const facts = await receiveContent({...download, world, sink})
  await check(download, sink)
  const part = ownPartOf(path)
  await inFolder(download, folder =>
    writeWhole(folder.entry(basename(path)), sink.bytes(), {
      temporary: folder.entry(basename(part)),
      mode: 0o666,
      modified,
      sync: needsFlush(world, download),
      place: () => putInPlace(folder, part, download),
    }),
  )
  return saved(path, sink, facts)
}

/**
 * The file at the path, if an earlier run completed this download but was killed before reporting it;
 * only content with an MD5 can be recognized.
 */
async function finishedBefore(
  world: World,
  download: Download,
  part: string,
): Promise<Saved | undefined> {
  const {journal} = world
  const {path, md5} = download
  if (!journal || md5 === undefined) return undefined
  const claim = await journal.claim(entryOf(journal, download, part))
  try {
    if (!claim?.entry) return undefined
    const {size, wholeMd5, close} = await openContent({path, scanned: {root: download.root}})
    const found = await wholeMd5().finally(close)
    if (size === undefined || found !== md5.toLowerCase()) return undefined
    // The file may come from elsewhere while that run left a partial file.
    await removePart(download, part)
    await forgetDone(world, claim)
    return {path, size, md5: found}
  } finally {
    await claim?.release()
  }
}

function entryOf({profile, baseUrl}: Journal, download: Download, part: string): DownloadEntry {
  const {onProgress: _, replaced: __, ...wanted} = download
  return {kind: 'download', profile, baseUrl, part, ...wanted}
}

async function downloadPart(world: World, download: Download, part: string): Promise<Saved> {
  const entry = world.journal && entryOf(world.journal, download, part)
  const claim = entry && (await world.journal?.claim(entry))
  const alone = () => receivePart(world, download, ownPartOf(download.path))
  // There is no journal, or another process writes to that partial file.
  if (!claim) return alone()
  try {
    return await receivePart(world, download, part, {claim, entry})
  } catch (error) {
    if (!(error instanceof PartInUse)) throw error
    return await alone()
  } finally {
    await claim.release()
  }
}

interface Remembering {
  readonly claim: Claim
  readonly entry: DownloadEntry
}

/** A partial file exists that the journal does not know. */
class PartInUse extends Error {}

async function receivePart(
  world: World,
  download: Download,
  part: string,
  remembering?: Remembering,
): Promise<Saved> {
  const {path, modified} = download
  const before = remembering?.claim.entry
  const known = before?.kind === 'download' && before.part === part ? before : undefined
  const resumes = known !== undefined && isSameContent(known, download)
  // A partial file that the journal does not know belongs to somebody else.
  if (!known) await remembering?.claim.save(remembering.entry)
  const sink = await openSink()
  try {
    const onFacts = async ({etag, size}: ContentFacts): Promise<void> => {
      if (download.md5 !== undefined) return
      await remembering?.claim.save({...remembering.entry, etag, size: size ?? download.size})
    }
    const again = {...download, world, sink, onFacts}
    const isWhole = resumes && download.md5 !== undefined && (await isRight(download, sink))
    let facts = isWhole
      ? {}
      : await receiveContent({...again, etag: resumes ? known.etag : undefined})
    if (resumes && !(await isRight(download, sink))) {
      // The data of an earlier run may be damaged.
      await sink.restart()
      facts = await receiveContent(again)
    }
    await check(download, sink)
    if (modified !== undefined) await sink.touch(modified)
    if (needsFlush(world, download)) await sink.sync()
    await inFolder(download, folder => {
      putInPlace(folder, part, download)
      rmSync(folder.entry(basename(part)), {force: true})
    })
    await forgetDone(world, remembering?.claim)
    return await saved(path, sink, facts)
  } catch (error) {
    if (!remembering || isOver(error) || sink.at === 0) {
      await removePart(download, part)
      await remembering?.claim.forget()
    }
    throw error
  } finally {
    await sink.close()
  }

  async function openSink(): Promise<PartFile> {
    try {
      const how = resumes ? 'continue' : known ? 'empty' : 'create'
      return await inFolder(download, folder =>
        openPart(folder.entry(basename(part)), how, download.size),
      )
    } catch (error) {
      if (!known) await remembering?.claim.forget()
      const {code} = error as NodeJS.ErrnoException
      throw code === 'EEXIST' ? new PartInUse(`Another process is downloading to ${part}.`) : error
    }
  }
}

/** Whether a power failure must not empty a file: if it replaces one, nothing may be lost; new ones can be downloaded again. */
function needsFlush({isDurable = false}: World, {path, overwrite}: Download): boolean {
  return isDurable || (overwrite === true && existsSync(path))
}

/** Removes a partial file, unless a link is in the way. */
async function removePart(download: Download, part: string): Promise<void> {
  await inFolder(download, folder => rmSync(folder.entry(basename(part)), {force: true})).catch(
    () => undefined,
  )
}

/** Whether the partial file of an earlier run belongs to the same content. */
function isSameContent(known: DownloadEntry, {md5}: Download): boolean {
  if (md5 !== undefined && known.md5 !== undefined) return md5 === known.md5
  return known.etag !== undefined
}

async function isRight({md5, size}: Pick<Download, 'md5' | 'size'>, sink: Sink): Promise<boolean> {
  if (size !== undefined && sink.at !== size) return false
  return md5 === undefined || (await sink.md5()) === md5.toLowerCase()
}

async function check({md5, size}: Pick<Download, 'md5' | 'size'>, sink: Sink): Promise<void> {
  if (await isRight({md5, size}, sink)) return
  throw damaged(
    size !== undefined && sink.at !== size
      ? `received ${sink.at.toLocaleString('en')} of ${size.toLocaleString('en')} bytes`
      : 'its MD5 differs from the one the service reports',
  )
}

async function saved(path: string, sink: Sink, {mimeType}: ContentFacts): Promise<Saved> {
  return {path, size: sink.at, md5: await sink.md5(), mimeType}
}
