import {Flags} from '@oclif/core'
import type {Context} from '#lib/cli/context/context.js'
import type {Values} from '#lib/cli/input/call-input.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'
import {endingsFor, exportedFile} from '#lib/transfer/remote/exports.js'
import type {RemoteEntry, RemoteFile} from '#lib/transfer/tree/entries.js'
import {requestFor} from '#lib/transfer/tree/pull.js'
import {receive} from './download.js'

/** The content of an entry that `word` named; a document in one of some formats. Throws `UsageError` for what has none. */
export async function withContent(
  entry: RemoteEntry,
  word: string,
  formats: readonly string[],
): Promise<RemoteFile> {
  if (entry.kind === 'file') return entry
  if (entry.kind === 'folder') {
    throw new UsageError(
      `${word} is a folder: only files can go to standard output.`,
      'Name a file in it, or fetch it as a whole with `drv pull`.',
    )
  }
  if (entry.target !== undefined) {
    throw new UsageError(
      `${word} is a shortcut, which has no content of its own.`,
      'Leave out --no-follow to read the file that it leads to.',
    )
  }
  const endings = await endingsFor({entries: [entry]})
  const exported = exportedFile(entry, formats, endings)
  if (exported) return exported
  throw new UsageError(
    `${word} is ${entry.what}, which has no content of its own to write to standard output.`,
    `\`drv files export ${entry.id} --mime-type text/plain\` writes a document as text.`,
  )
}

/** Writes a file's content to standard output. */
export async function writeOut(context: Context, file: RemoteFile, flags: Values): Promise<void> {
  const {title, size, md5, exported} = file
  await receive(context, {
    ...requestFor(file),
    to: '-',
    title,
    facts: exported ? {} : {fileSize: String(size), md5Checksum: md5},
    flags,
  })
}

/** The flag that brings editor documents along. */
export const exportFlag = {
  export: ranked(
    20,
    Flags.string({
      summary:
        'Bring editor documents along, in the first of these formats that the service offers for each.',
      helpValue: 'docx,xlsx,pdf',
    }),
  ),
}

/** The endings that `--export` names. Throws `UsageError` for what is the ending of no format. */
export async function formatsOf(text: string | undefined): Promise<readonly string[]> {
  if (text === undefined) return []
  const {default: mime} = await import('mime')
  return text.split(',').map(word => {
    // The usual one of a type's endings, as the copies have it: jpg for jpeg.
    const type = mime.getType(word.trim().replace(/^\./, ''))
    const ending = type === null ? null : mime.getExtension(type)
    if (ending !== null) return ending
    throw new UsageError(
      `--export takes the endings of formats, and "${word}" is none.`,
      'Name some that you can open: --export docx,xlsx,pptx,pdf.',
    )
  })
}
