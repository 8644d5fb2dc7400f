import {spawnSync} from 'node:child_process'
import {mkdirSync, rmSync} from 'node:fs'
import {join} from 'node:path'
import {expect, onTestFinished} from 'vitest'

/** File systems for single tests. */

/** Why the tests cannot mount file systems on this machine; `undefined` if they can. */
export const missingMount = (() => {
  const probe = 'mount -t tmpfs tmpfs /mnt && umount /mnt'
  return process.platform === 'linux' && spawnSync('sh', ['-c', probe]).status === 0
    ? undefined
    : 'Only root of Linux may mount the disks that this needs.'
})()

/** Mounts a file system at `path`, for one test; `options` such as `size=4m` or `ro`. */
export function mountDisk(path: string, options: string): string {
  mkdirSync(path, {recursive: true})
  expect(spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', path]).status).toBe(0)
  onTestFinished(() => {
    spawnSync('umount', ['--lazy', path])
    rmSync(path, {recursive: true})
  })
  return path
}

/** Also mounts the directory `source` at `path`, read-only and for one test. */
export function readOnlyView(source: string, path: string): string {
  mkdirSync(path)
  expect(spawnSync('mount', ['--bind', source, path]).status).toBe(0)
  onTestFinished(() => {
    spawnSync('umount', ['--lazy', path])
    rmSync(path, {recursive: true})
  })
  expect(spawnSync('mount', ['-o', 'remount,bind,ro', path]).status).toBe(0)
  return path
}

/** Remounts it with other options. */
export function remount(path: string, options: string): void {
  expect(spawnSync('mount', ['-o', `remount,${options}`, path]).status).toBe(0)
}

/** Fills the disk at `path` completely. */
export function fillDisk(path: string): void {
  const {status} = spawnSync('dd', ['if=/dev/zero', `of=${join(path, 'fill')}`, 'bs=4096'])
  expect(status).toBe(1)
}
