import {spawnSync} from 'node:child_process'
import {mkdirSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {BINARY, freshEnvironment, temporaryFolder} from '../../test/support/drv.js'
import {type Cell, cellsOf} from '../../test/support/screen.js'

/** The commands in the picture. None prints a date or an ID, so that every run looks the same. */
const LINES = [
  'drv push Holiday /',
  'drv tree /Holiday',
  'drv du /Holiday',
  'drv share /Holiday ada@example.com -q',
  'drv share /Holiday',
]

/** The screen after running the lines in a terminal, with their own local service. */
export function walk(): Cell[][] {
  const {path: home, remove} = temporaryFolder()
  try {
    mkdirSync(join(home, 'Holiday/beach'), {recursive: true})
    writeFileSync(join(home, 'Holiday/diary.txt'), 'Day 1: the sea.\n')
    writeFileSync(join(home, 'Holiday/beach/sunset.jpg'), Buffer.alloc(48_213))
    writeFileSync(join(home, 'Holiday/beach/waves.mp4'), Buffer.alloc(3_250_000))
    const lines = LINES.flatMap((line, at) => [
      ...(at > 0 ? ['echo'] : []),
      `printf '\\033[32m$\\033[39m %s\\n' "${line}"`,
      line,
    ])
    writeFileSync(join(home, 'walk.sh'), `set -e\n${lines.join('\n')}\n`)
    const run = `stty cols 80 rows 50; exec '${process.execPath}' '${BINARY}' local run -- sh walk.sh`
    const {NO_COLOR: _, ...env} = freshEnvironment(home)
    const {status, stdout} = spawnSync('script', ['-qefc', run, '/dev/null'], {
      cwd: home,
      env: {...env, TERM: 'xterm'},
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(`The walk ended with ${status}:\n${stdout}`)
    // The duration differs from run to run.
    return cellsOf(stdout.replace(/,? in \d+(?:\.\d+)? s(?=[;.])/, ''))
  } finally {
    remove()
  }
}
