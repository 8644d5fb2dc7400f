import {Flags} from '@oclif/core'
import {UsageError} from '#lib/cli/terminal/errors.js'

/** The flag that brings editor documents along. */
export const exportFlag = {
  export: Flags.string({
    summary:
      'Bring editor documents along, in the first of these formats that the service offers for each.',
    helpValue: 'docx,xlsx,pdf',
  }),
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
