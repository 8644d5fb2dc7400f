import {mkdirSync, renameSync, rmSync} from 'node:fs'
import {join} from 'node:path'
import {runDrv} from '../../support/drv.js'
import {codeOf, runOf, type Stage, type Story} from './story.js'

/** Folders that are followed in both directions, and change while nobody follows them. */

/** Printed when everything that was found at the start is done. */
const endsAfter = 'Following'
const push = ['push', 'tree/', '/Top', '--follow', '--delete', '--yes']
const pull = ['pull', '/Top/', 'tree', '--follow', '--delete', '--yes']

async function followOnce(stage: Stage, argv: readonly string[]): Promise<void> {
  const {code, stderr} = await runDrv(argv, runOf(stage, {endsAfter}))
  if (code !== codeOf({endsAfter}))
    throw new Error(`drv ${argv.join(' ')} ended with ${code}: ${stderr}`)
}

export const followStories: readonly Story[] = [
  {
    ...{name: 'push --follow of a new tree', argv: push, endsAfter},
    setUp({file}) {
      file('tree/one.txt', 'one')
      file('tree/inner/two.txt', 'two')
    },
    outputs: [['push', 'tree/', '/Top']],
  },
  {
    ...{name: 'push --follow of changes', argv: push, endsAfter},
    async setUp(stage) {
      const {file, files} = stage
      const tree = (path: string) => join(files, 'tree', path)
      file('tree/changed.txt', 'first')
      file('tree/removed.txt', 'removed')
      file('tree/moved.txt', 'moved')
      file('tree/inner/two.txt', 'two')
      file('tree/becomes a folder', 'a file')
      file('tree/becomes a file/three.txt', 'three')
      await followOnce(stage, push)
      file('tree/changed.txt', 'second')
      rmSync(tree('removed.txt'))
      renameSync(tree('inner'), tree('renamed'))
      mkdirSync(tree('new'))
      renameSync(tree('moved.txt'), tree('new/name.txt'))
      file('tree/new/four.txt', 'four')
      rmSync(tree('becomes a folder'))
      file('tree/becomes a folder/five.txt', 'five')
      rmSync(tree('becomes a file'), {recursive: true})
      file('tree/becomes a file', 'a file')
    },
    outputs: [['push', 'tree/', '/Top']],
  },
  {
    ...{name: 'pull --follow of a new tree', argv: pull, endsAfter},
    async setUp({make}) {
      const top = await make('Top')
      await make('one.txt', 'one', top)
      await make('two.txt', 'two', await make('inner', undefined, top))
    },
    outputs: [['pull', '/Top/', 'tree']],
  },
  {
    ...{name: 'pull --follow of changes', argv: pull, endsAfter},
    async setUp(stage) {
      const {drv, file, make} = stage
      const top = await make('Top')
      const changed = await make('changed.txt', 'first', top)
      const removed = await make('removed.txt', 'removed', top)
      const moved = await make('moved.txt', 'moved', top)
      const inner = await make('inner', undefined, top)
      await make('two.txt', 'two', inner)
      await followOnce(stage, pull)
      file('content', 'second')
      await drv('files', 'update', changed, 'content')
      await drv('rm', removed)
      await drv('files', 'patch', inner, '--title', 'renamed')
      await drv('mv', moved, `id:${await make('new', undefined, top)}`)
      await make('three.txt', 'three', top)
    },
    outputs: [['pull', '/Top/', 'tree']],
  },
]
