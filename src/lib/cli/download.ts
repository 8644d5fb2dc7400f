import {Flags} from '@oclif/core'
import type {Download} from '../client/client.js'
import type {Context} from './context.js'
import {type Saved, chooseTarget, copyDownload, saveDownload} from './save.js'

export const forceFlag = {
  force: Flags.boolean({summary: 'Replace a file that is there already.'}),
}

export interface Receipt {
  /** A path, '' for the current directory, `-` for standard output. */
  readonly to: string
  /** What the file is called where `to` names none. */
  readonly title: string
  readonly md5?: unknown
  readonly force: boolean
}

/** Takes a download in and says where it is; nothing is said of one to standard output. */
export async function receive(
  download: Download,
  {io, signal, onEnd}: Context,
  {to, title, md5, force}: Receipt,
): Promise<Saved | undefined> {
  const expected = {md5: typeof md5 === 'string' ? md5 : undefined}
  if (to === '-') {
    await copyDownload(download, io.stdout, expected, {signal})
    return undefined
  }
  try {
    const target = await chooseTarget(to, title, force)
    return await saveDownload(download, target, expected, {signal, onEnd})
  } finally {
    download.stream.destroy()
  }
}
