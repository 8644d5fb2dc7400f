import {readdirSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {runDrv} from '../../support/drv.js'
import type {Stage, Story} from './story.js'

/** Sign-in, profiles, settings and the data of a local service. */

const signedOut = {DRV_TOKEN: undefined}
const login = ['auth', 'login', '--insecure-storage', '--profile']
const profiles = ['auth', 'list', '--json']

/** Makes the stored tokens expire for drv. */
function expire({home}: Stage): void {
  const folder = join(home, 'config', 'drv', 'tokens')
  for (const name of readdirSync(folder).filter(one => one.endsWith('.json'))) {
    const path = join(folder, name)
    const entry = JSON.parse(readFileSync(path, 'utf8')) as {password: string}
    const token = JSON.parse(entry.password) as {expiresAt?: number}
    if (token.expiresAt === undefined) continue
    const password = JSON.stringify({...token, expiresAt: Date.now() - 1000})
    writeFileSync(path, JSON.stringify({...entry, password}))
  }
}

export const accountStories: readonly Story[] = [
  {
    name: 'auth login',
    argv: [...login, 'work'],
    env: signedOut,
    outputs: [profiles, ['ls', '/', '--profile', 'work']],
  },
  {
    name: 'auth login again',
    argv: [...login, 'work', '--force'],
    env: signedOut,
    setUp: async ({drv}) => void (await drv(...login, 'work')),
    outputs: [profiles, ['ls', '/', '--profile', 'work']],
  },
  {
    name: 'renewal of a token',
    argv: ['ls', '/', '--profile', 'work'],
    env: {...signedOut, DRV_CLIENT_ID: 'expiring'},
    async setUp(stage) {
      await stage.drv(...login, 'work')
      expire(stage)
    },
    outputs: [profiles, ['ls', '/', '--profile', 'work']],
  },
  {
    name: 'auth switch',
    argv: ['auth', 'switch', 'work'],
    env: signedOut,
    async setUp({drv}) {
      await drv(...login, 'home')
      await drv(...login, 'work')
      await drv('auth', 'switch', 'home')
    },
    outputs: [profiles],
  },
  {
    name: 'auth logout',
    argv: ['auth', 'logout', '--profile', 'work'],
    env: signedOut,
    setUp: async ({drv}) => void (await drv(...login, 'work')),
    outputs: [profiles],
  },
  {
    name: 'auth remove',
    argv: ['auth', 'remove', 'work', '--yes'],
    env: signedOut,
    setUp: async ({drv}) => void (await drv(...login, 'work')),
    again: [2],
    outputs: [profiles],
  },
  {
    name: 'auth policy set',
    argv: ['auth', 'policy', 'set', 'max-delete', '5', '--profile', 'work'],
    env: signedOut,
    setUp: async ({drv}) => void (await drv(...login, 'work')),
    outputs: [['auth', 'policy', 'list', '--profile', 'work']],
  },
  {
    name: 'alias set',
    argv: ['alias', 'set', 'two', 'ls -l', '--clobber'],
    setUp: async ({drv}) => void (await drv('alias', 'set', 'one', 'ls -R')),
    outputs: [['alias', 'list']],
  },
  {
    name: 'alias delete',
    argv: ['alias', 'delete', 'one'],
    setUp: async ({drv}) => void (await drv('alias', 'set', 'one', 'ls -R')),
    again: [5],
    outputs: [['alias', 'list']],
  },
  {
    name: 'config set',
    argv: ['config', 'set', 'history.days', '365'],
    outputs: [['config', 'list']],
  },
  {
    name: 'files watch',
    argv: [
      'files',
      'watch',
      '/one.txt',
      '--type',
      'web_hook',
      '--address',
      'https://hooks.example.com/a',
    ],
    setUp: async ({make}) => void (await make('one.txt', 'one')),
  },
  {
    name: 'local user create',
    isNative: true,
    argv: ['local', 'user', 'create', 'ada', '--data', '../home/own/data'],
    again: [12],
    outputs: [
      ['local', 'user', 'list', '--data', '../home/own/data'],
      ['local', 'check', '--data', '../home/own/data'],
    ],
  },
  {
    name: 'local reset',
    isNative: true,
    argv: ['local', 'reset', '--yes', '--data', '../home/own/data'],
    // In a process of its own, so that the database is closed at its end.
    async setUp({env, files: cwd}) {
      const argv = ['local', 'user', 'create', 'ada', '--data', '../home/own/data']
      const {code, stderr} = await runDrv(argv, {env, cwd})
      if (code !== 0) throw new Error(stderr)
    },
    again: [5],
    outputs: [['local', 'user', 'list', '--data', '../home/own/data']],
  },
  {
    name: 'local export',
    isNative: true,
    argv: [
      'local',
      'export',
      '-o',
      '../home/own/seed.yaml',
      '--data',
      '../home/own/data',
      '--force',
    ],
    setUp: async ({drv}) =>
      void (await drv('local', 'user', 'create', 'ada', '--data', '../home/own/data')),
  },
]
