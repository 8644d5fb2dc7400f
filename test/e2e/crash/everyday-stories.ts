import type {Story} from './story.js'

/** Single changes, and content of single files. */
export const everydayStories: readonly Story[] = [
  {
    name: 'mkdir',
    argv: ['mkdir', '-p', '/A/B'],
  },
  {
    name: 'cp',
    argv: ['cp', '/one.txt', '/two.txt'],
    setUp: async ({make}) => void (await make('one.txt', 'one')),
    again: [12],
  },
  {
    name: 'mv',
    argv: ['mv', '/one.txt', '/A/two.txt'],
    async setUp({make}) {
      await make('A')
      await make('one.txt', 'one')
    },
    again: [5],
  },
  {
    name: 'rm',
    argv: ['rm', '/one.txt', '/two.txt'],
    async setUp({make}) {
      await make('one.txt', 'one')
      await make('two.txt', 'two')
    },
    again: [9],
  },
  {
    name: 'share',
    argv: ['share', '/one.txt', 'cleo@example.com', '--role', 'reader', '--no-notify'],
    setUp: async ({make}) => void (await make('one.txt', 'one')),
  },
  {
    name: 'files insert from a file',
    argv: ['files', 'insert', 'new.txt'],
    setUp: ({file}) => file('new.txt', 'new'),
  },
  {
    name: 'files insert from standard input',
    argv: ['files', 'insert', '-', '--title', 'new.txt'],
    input: 'new',
    doubles: /^\/new.txt /,
  },
]
