import {spawnSync} from 'node:child_process'
import {mkdirSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {beforeAll, expect, test} from 'vitest'
import {BINARY, freshEnvironment, runDrv, temporaryFolder} from '../../support/drv.js'

/** A limit on open files that is too low (`ulimit -n`): every failure names it. */

let env: Record<string, string>
let folder: string
beforeAll(async () => {
  const {path, remove} = temporaryFolder()
  folder = path
  env = freshEnvironment(path)
  const {stdout} = await runDrv(['local', 'token'], {env})
  env.DRV_TOKEN = stdout.trim()
  mkdirSync(join(folder, 'tree'))
  for (let n = 0; n < 60; n++) writeFileSync(join(folder, 'tree', `f${n}`), `${n}`)
  return remove
})

const commands = [
  'ls /',
  'files insert tree/f1',
  'push tree /a',
  'local run -- true',
  'local token',
]

test.each([20, 22, 26, 34].flatMap(limit => commands.map(it => [limit, it] as const)))(
  'with %i files `drv %s` works or reports too many open files',
  (limit, command) => {
    const script = `ulimit -n ${limit}; exec "$@"`
    const words = ['-c', script, 'sh', process.execPath, BINARY, ...command.split(' ')]
    const {status, stderr} = spawnSync('sh', words, {env, cwd: folder, encoding: 'utf8'})
    if (status === 0) return
    expect(stderr).toRead()
    expect(stderr).not.toMatch(
      /Internal error|cannot be opened\.|could not be reached|broke off|panic/,
    )
  },
)
