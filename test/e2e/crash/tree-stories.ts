import {rmSync} from 'node:fs'
import {runToPoint} from '../../support/crash-points.js'
import type {Stage, Story} from './story.js'

/** Folders in both directions, and interrupted transfers. */

/** Larger than the limit above which files are uploaded in a session. */
const LARGE = Buffer.alloc(8 * 1024 * 1024 + 4321, 'large ')

/** A remote folder with a file, a folder in it, and a file there. */
async function remoteTree({make}: Stage): Promise<{top: string; one: string}> {
  const top = await make('Top')
  const inner = await make('inner', undefined, top)
  const one = await make('one.txt', 'one', top)
  await make('two.txt', 'two', inner)
  return {top, one}
}

/** The same in the working directory. */
function localTree({file}: Stage): void {
  file('tree/one.txt', 'one')
  file('tree/inner/two.txt', 'two')
}

export const treeStories: readonly Story[] = [
  {
    name: 'push of a new tree',
    argv: ['push', 'tree/', '/Top'],
    setUp: localTree,
    outputs: [['push', 'tree/', '/Top']],
  },
  {
    name: 'push of changed files, with deletion',
    argv: ['push', 'tree/', '/Top', '--delete', '--yes'],
    async setUp(stage) {
      localTree(stage)
      stage.file('tree/old.txt', 'old')
      await stage.drv('push', 'tree/', '/Top')
      rmSync(`${stage.files}/tree/old.txt`)
      stage.file('tree/one.txt', 'one, changed')
      stage.file('tree/inner/three.txt', 'three')
    },
  },
  {
    name: 'push of a large file',
    argv: ['push', 'large.bin', '/'],
    setUp: ({file}) => file('large.bin', LARGE),
    outputs: [['transfers', 'list', '--json']],
  },
  {
    name: 'push from standard input',
    argv: ['push', '-', '/piped.txt'],
    input: 'piped',
  },
  {
    name: 'files update with a large file',
    argv: ['files', 'update', '/large.bin', 'large.bin'],
    async setUp({file, make}) {
      await make('large.bin', 'small')
      file('large.bin', LARGE)
    },
  },
  {
    name: 'pull of a new tree',
    argv: ['pull', '/Top', 'tree'],
    setUp: async stage => void (await remoteTree(stage)),
    outputs: [['pull', '/Top', 'tree']],
  },
  {
    name: 'pull of changed files, with deletion',
    argv: ['pull', '/Top', 'tree', '--delete', '--yes'],
    async setUp(stage) {
      const {top, one} = await remoteTree(stage)
      const old = await stage.make('old.txt', 'old', top)
      await stage.drv('pull', '/Top', 'tree')
      stage.file('new-content', 'one, changed')
      await stage.drv('files', 'update', one, 'new-content')
      await stage.drv('files', 'trash', old)
      await stage.make('three.txt', 'three', top)
    },
    outputs: [['pull', '/Top', 'tree', '--delete', '--yes']],
  },
  {
    name: 'pull of a large file',
    argv: ['pull', '/large.bin', 'large.bin'],
    async setUp({file, drv, files}) {
      file('large.bin', LARGE)
      await drv('push', 'large.bin', '/')
      rmSync(`${files}/large.bin`)
    },
    again: [12],
  },
  {
    name: 'pull over an existing file',
    argv: ['pull', '/one.txt', 'one.txt', '--if-exists', 'replace'],
    async setUp({file, make}) {
      await make('one.txt', 'new')
      file('one.txt', 'old')
    },
  },
  {
    name: 'transfers resume',
    argv: ['transfers', 'resume'],
    setUp: interruptedUpload,
    again: [5],
    outputs: [['transfers', 'list', '--json']],
  },
  {
    name: 'transfers discard',
    argv: ['transfers', 'discard', '--all'],
    setUp: interruptedUpload,
    again: [5],
    outputs: [['transfers', 'list', '--json']],
  },
]

/** An upload that was killed before its last piece. */
async function interruptedUpload(stage: Stage): Promise<void> {
  stage.file('large.bin', LARGE)
  const at = 'request PUT /upload/drive/v2/files'
  const failing = {roots: [], folder: stage.folder, spare: '', at, how: 'kill'} as const
  const run = {env: stage.env, cwd: stage.files}
  const {signal} = await runToPoint(['push', 'large.bin', '/'], failing, run)
  if (signal !== 'SIGKILL') throw new Error('The upload was not interrupted.')
}
