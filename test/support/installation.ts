import {spawnSync} from 'node:child_process'
import {cpSync, mkdirSync, readdirSync} from 'node:fs'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {expect, onTestFinished} from 'vitest'
import {freshEnvironment, temporaryFolder} from './drv.js'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** A separate installation that a test can damage, and a new user of it. */
export function installation() {
  const {path, remove} = temporaryFolder()
  onTestFinished(remove)
  const root = join(path, 'drv')
  for (const part of ['bin', 'dist', 'package.json', 'oclif.manifest.json']) {
    cpSync(join(ROOT, part), join(root, part), {recursive: true})
  }
  const home = join(path, 'home')
  mkdirSync(home)
  const env = {...freshEnvironment(home), XDG_CACHE_HOME: join(home, 'cache')}
  const directory = join(home, 'cache/drv/compiled')
  const program = join(root, 'bin/run.js')
  return {
    root,
    home,
    env,
    directory,
    program,
    drv: (args: string, options: readonly string[] = [], environment = env) => {
      const line = [...options, program, ...args.split(' ')]
      const run = spawnSync(process.execPath, line, {env: environment})
      return {status: run.status, stdout: String(run.stdout), stderr: String(run.stderr)}
    },
    /** The only file with compiled code. */
    file: () => {
      const names = readdirSync(directory)
      expect(names).toHaveLength(1)
      return join(directory, names[0]!)
    },
  }
}

/** The result of `drv --version`. */
export const working = {status: 0, stdout: expect.stringMatching(/^drv\/\d/), stderr: ''}
/** The result of `drv flies get`. */
export const unknown = {
  status: 2,
  stdout: '',
  stderr: 'Error: Unknown command `drv flies`.\nDid you mean `drv files get`?\n',
}
