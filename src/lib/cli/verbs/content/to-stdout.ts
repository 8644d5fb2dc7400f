import {Flags} from '@oclif/core'
import type {Context} from '#lib/cli/context/context.js'
import type {FlagValues} from '#lib/cli/input/call-input.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'
import {endingsFor, exportedFile} from '#lib/transfer/remote/exports.js'
import type {RemoteEntry, RemoteFile} from '#lib/transfer/tree/entries.js'
import {requestFor} from '#lib/transfer/tree/pull.js'
import {receive} from './download.js'

/**
 * The file whose content can be written for `word`; an editor document is exported in the first available
 * format. Throws `UsageError` for an entry without content.
 */
export async function withContent(
  entry: RemoteEntry,
  word: string,
  formats: readonly string[],
): Promise<RemoteFile> {
  if (entry.kind === 'file') return entry
  if (entry.kind === 'folder') {
    throw new UsageError(
      `Cannot write ${word} to standard output: it is a folder.`,
      'Pass a file in it, or download the folder with `drv pull`.',
    )
  }
  if (entry.target !== undefined) {
    throw new UsageError(
      `Cannot read ${word}: it is a shortcut.`,
      'Remove --no-follow to read its target.',
    )
  }
  const endings = await endingsFor({entries: [entry]})
  const exported = exportedFile(entry, formats, endings)
  if (exported) return exported
  throw new UsageError(
    `Cannot write ${word} to standard output: it is ${entry.what}, which has no content.`,
    `To export a document as text, run \`drv files export ${entry.id} --mime-type text/plain\`.`,
  )
}

/** Writes the content of a file to standard output. */
export async function writeOut(
  context: Context,
  file: RemoteFile,
  flags: FlagValues,
): Promise<void> {
  const {title, size, md5, exported} = file
  await receive(context, {
    ...requestFor(file),
    to: '-',
    title,
    facts: exported ? {} : {fileSize: String(size), md5Checksum: md5},
    flags,
  })
}

/** The flag that includes editor documents. */
export const exportFlag = {
  export: ranked(
    20,
    Flags.string({
      summary:
        'Export editor documents in the first of these formats that each supports, such as docx,xlsx,pdf.',
      helpValue: 'FORMATS',
    }),
  ),
}

/** The file extensions in `--export`. Throws `UsageError` for an unknown one. */
export async function formatsOf(text: string | undefined): Promise<readonly string[]> {
  if (text === undefined) return []
  const {default: mime} = await import('mime')
  return text.split(',').map(word => {
    // The usual extension of the media type, which exported files also get: jpg for jpeg.
    const type = mime.getType(word.trim().replace(/^\./, ''))
    const ending = type === null ? null : mime.getExtension(type)
    if (ending !== null) return ending
    throw new UsageError(
      `Invalid --export: "${word}" is not a known file extension.`,
      'Use the extensions of export formats, such as --export docx,xlsx,pptx,pdf.',
    )
  })
}
