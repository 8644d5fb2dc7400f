import {type FileHandle, mkdtemp, open, rm} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'

/**
 * Copies a stream to a temporary file without a name, because a plan is read more than once. Nothing is left
 * behind, even if the process is killed. Throws the errors of the stream and of the system.
 */
export async function spool(source: AsyncIterable<Uint8Array | string>): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'drv-plan-'))
  try {
    const handle = await open(join(folder, 'plan'), 'wx+', 0o600)
    try {
      // Windows deletes it when it is closed.
      await rm(folder, {recursive: true, force: true}).catch(() => undefined)
      for await (const chunk of source) await handle.appendFile(chunk)
      return handle
    } catch (error) {
      await handle.close()
      throw error
    }
  } catch (error) {
    await rm(folder, {recursive: true, force: true}).catch(() => undefined)
    throw error
  }
}
