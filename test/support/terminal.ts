import {spawn, spawnSync} from 'node:child_process'
import {fileURLToPath} from 'node:url'
import {onTestFinished} from 'vitest'

/** The binary in a terminal, created by `script` of Debian's bsdutils. */

const PROGRAM = 'script'
const BINARY = fileURLToPath(new URL('../../bin/run.js', import.meta.url))

/** Why the tests cannot use a terminal on this machine; `undefined` if they can. */
export const missingTerminal: string | undefined =
  process.platform === 'linux' && spawnSync(PROGRAM, ['--version']).status === 0
    ? undefined
    : 'This needs `script` of util-linux to make a terminal.'

/** Starts `drv` in a terminal with these columns and lines; it ends with the test at the latest. */
export function startAtTerminal(
  args: readonly string[],
  {
    env,
    columns = 100,
    rows = 60,
    stdout,
  }: {
    env: Readonly<Record<string, string>>
    columns?: number
    rows?: number
    /** A file to use instead of the terminal. */
    stdout?: string
  },
) {
  const words = [process.execPath, BINARY, ...args].map(word => `'${word}'`).join(' ')
  const line = `stty cols ${columns} rows ${rows}; exec ${words}${stdout === undefined ? '' : ` >'${stdout}'`}`
  const child = spawn(PROGRAM, ['-qefc', line, '/dev/null'], {env: {TERM: 'xterm', ...env}})
  onTestFinished(() => void child.kill())
  let output = ''
  const waiting: Array<() => void> = []
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
    for (const look of waiting.splice(0)) look()
  })
  const ended = new Promise<number | null>(resolve => child.once('close', resolve))
  return {
    ended,
    output: () => output,
    /** Types a text. */
    type: (text: string) => child.stdin.write(text),
    /** Waits for a text on the screen. */
    async shows(pattern: RegExp): Promise<RegExpExecArray> {
      for (;;) {
        const found = pattern.exec(output)
        if (found) return found
        const isOver = await Promise.race([
          new Promise<false>(resolve => waiting.push(() => resolve(false))),
          ended.then(() => true),
        ])
        if (isOver && !pattern.test(output)) {
          throw new Error(`It ended and never showed ${pattern}:\n${output}`)
        }
      }
    },
  }
}
