import type {Stage, Story} from './story.js'

/** Tables with checkpoints, plans, undo and followers. */

const table = Array.from({length: 5}, (_, n) => `{"title":"row ${n}","parent":"/"}\n`).join('')

async function plannedTree(stage: Stage): Promise<void> {
  stage.file('tree/one.txt', 'one')
  stage.file('tree/inner/two.txt', 'two')
}

export const batchStories: readonly Story[] = [
  {
    name: 'table with a checkpoint',
    argv: ['files', 'insert', '--from', 'table.ndjson', '--checkpoint', '../home/own/table.done'],
    setUp: ({file}) => file('table.ndjson', table),
  },
  {
    name: 'rm of a table with a checkpoint',
    argv: ['rm', '--from', 'table.ndjson', '--checkpoint', '../home/own/table.done'],
    async setUp({file, make}) {
      for (let n = 0; n < 3; n++) await make(`${n}.txt`, 'content')
      file('table.ndjson', '{"fileId":"/0.txt"}\n{"fileId":"/1.txt"}\n{"fileId":"/2.txt"}\n')
    },
  },
  {
    name: 'plan',
    argv: ['push', 'tree/', '/Top', '--plan', '../home/own/push.plan'],
    setUp: plannedTree,
    outputs: [['plan', 'show', '../home/own/push.plan']],
  },
  {
    name: 'apply',
    argv: ['apply', '../home/own/push.plan', '--yes'],
    async setUp(stage) {
      await plannedTree(stage)
      await stage.drv('push', 'tree/', '/Top', '--plan', '../home/own/push.plan')
    },
  },
  {
    name: 'plan with content from standard input',
    argv: ['push', '-', '/piped.txt', '--plan', '../home/own/push.plan'],
    input: 'piped',
  },
  {
    name: 'undo',
    argv: ['undo', '--yes'],
    async setUp({make, drv}) {
      await make('one.txt', 'one')
      await make('two.txt', 'two')
      await drv('rm', '/one.txt', '/two.txt')
    },
    again: [5],
  },
  {
    name: 'follow --once with a checkpoint',
    argv: ['follow', '--once', '--checkpoint', '../home/own/follow.checkpoint'],
    async setUp({make, drv}) {
      await make('before.txt', 'before')
      await drv('follow', '--once', '--checkpoint', '../home/own/follow.checkpoint')
      await make('one.txt', 'one')
      await make('two.txt', 'two')
    },
    outputs: [['follow', '--once', '--checkpoint', '../home/own/follow.checkpoint']],
  },
  {
    name: 'follow --once from the beginning',
    argv: ['follow', '/Top', '--once', '--resume'],
    async setUp({make}) {
      await make('one.txt', 'one', await make('Top'))
    },
    outputs: [['follow', '/Top', '--once', '--resume']],
  },
  {
    name: 'follow --once --exec',
    argv: [
      'follow',
      '--once',
      '--checkpoint',
      '../home/own/follow.checkpoint',
      '--exec',
      'mkdir -p ./seen{}',
    ],
    async setUp({make, drv}) {
      await drv('follow', '--once', '--checkpoint', '../home/own/follow.checkpoint')
      await make('one.txt', 'one')
      await make('two.txt', 'two')
    },
    outputs: [['follow', '--once', '--checkpoint', '../home/own/follow.checkpoint']],
  },
]
