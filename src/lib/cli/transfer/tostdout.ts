import type {RemotePath} from '../../transfer/remote/remotepath.js'
import {checkWhole, resolveRemotePath} from '../../transfer/remote/resolve.js'
import type {RemoteEntry} from '../../transfer/tree/entries.js'
import type {Context} from '../command/context.js'
import {UsageError} from '../command/errors.js'
import {chooseAt} from '../naming/choose.js'
import {withPlaces} from '../naming/places.js'
import {receive} from './download.js'

type RemoteFile = Extract<RemoteEntry, {kind: 'file'}>

/**
 * The one file that `drv pull X -` is to write to standard output. Throws `UsageError` for several
 * things, and for what has no bytes of its own.
 */
export async function oneFile(
  context: Context,
  places: readonly RemotePath[],
): Promise<RemoteFile> {
  const [place] = places
  if (places.length !== 1 || !place) {
    throw new UsageError(
      `Only one file can go to standard output, not ${places.length}.`,
      'Name one, or a folder to put them into.',
    )
  }
  const client = await context.client()
  const {entry} = await withPlaces(async () => {
    const found = await resolveRemotePath(client, place, chooseAt(context))
    await checkWhole(client, place, found)
    return found
  })
  if (entry.kind === 'file' && !place.isContents) return entry
  if (entry.kind === 'other') {
    throw new UsageError(
      `${place.text} is ${entry.what}, which has no content of its own to write to standard output.`,
      `\`drv files export ${entry.id} --mime-type text/plain\` writes a document as text.`,
    )
  }
  throw new UsageError(
    `${place.text} is ${entry.kind === 'folder' ? 'a folder' : 'no folder'}: only one file can go to standard output.`,
    entry.kind === 'folder' ? 'Name a file in it, or a folder to put it into.' : undefined,
  )
}

/** Writes a file's content to standard output. */
export async function writeOut(
  context: Context,
  {id, title, size, md5}: RemoteFile,
  progress: boolean,
): Promise<void> {
  await receive(context, {
    operation: 'files.get',
    params: {fileId: id, supportsAllDrives: 'true'},
    to: '-',
    title,
    facts: {fileSize: String(size), md5Checksum: md5},
    force: false,
    progress,
  })
}
