import {spawnSync} from 'node:child_process'
import {chmodSync, mkdtempSync, rmSync} from 'node:fs'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'

/** Another user of the machine, without an entry in /etc/passwd. */

export const OTHER_USER = {uid: 54_321, gid: 54_321}

const BINARY = fileURLToPath(new URL('../bin/run.js', import.meta.url))

/** Why the tests cannot run programs as another user on this machine; `undefined` if they can. */
export const missingUser: string | undefined = (() => {
  if (process.getuid?.() !== 0) return 'only root can run something as another user'
  const script = 'require("fs").accessSync(process.argv[1])'
  const {status} = spawnSync(process.execPath, ['-e', script, BINARY], OTHER_USER)
  return status === 0 ? undefined : 'another user cannot read the working copy'
})()

/** An empty folder that every user can write to; the usual one for tests is private. */
export function sharedFolder(): {path: string; remove(): void} {
  const path = mkdtempSync(join('/tmp', 'drv-shared-'))
  chmodSync(path, 0o777)
  return {path, remove: () => rmSync(path, {recursive: true, force: true})}
}
