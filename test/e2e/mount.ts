import {spawnSync} from 'node:child_process'
import {mkdirSync, rmSync} from 'node:fs'
import {join} from 'node:path'
import {onTestFinished} from 'vitest'

/** File systems of their own, to be full or to take nothing. */

/** Why no file system can be mounted here; `undefined` where one can. */
export const missingMount = (() => {
  const probe = 'mount -t tmpfs tmpfs /mnt && umount /mnt'
  return process.platform === 'linux' && spawnSync('sh', ['-c', probe]).status === 0
    ? undefined
    : 'Only root of Linux may mount the disks that this needs.'
})()

/** Mounts one at a new or existing directory, for one test: `size=4m`, `ro`. */
export function mountDisk(path: string, options: string): string {
  mkdirSync(path, {recursive: true})
  const {status} = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', path])
  if (status !== 0) throw new Error(`Nothing could be mounted at ${path}.`)
  onTestFinished(() => {
    spawnSync('umount', ['--lazy', path])
    rmSync(path, {recursive: true})
  })
  return path
}

/** Writes to a disk until it takes nothing more, which one that is read-only does at once. */
export function fillDisk(path: string): void {
  const {status} = spawnSync('dd', ['if=/dev/zero', `of=${join(path, 'fill')}`])
  if (status !== 1) throw new Error(`The disk at ${path} is not full.`)
}
