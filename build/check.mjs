// Runs the checks of `npm run check` side by side, one per core, the longest first, and prints each with its output.
import {spawn} from 'node:child_process'
import {availableParallelism} from 'node:os'

const CHECKS = ['eslint .', 'tsc -p test', 'prettier --check .', 'knip', 'knip --production']

/** Runs a command to its end; returns whether it succeeded. */
function run(command) {
  return new Promise((resolve, reject) => {
    const started = Date.now()
    const child = spawn(command, {shell: true, stdio: ['ignore', 'pipe', 'pipe']})
    const output = []
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', chunk => output.push(chunk))
    child.once('error', reject)
    child.once('close', code => {
      const seconds = ((Date.now() - started) / 1000).toFixed(1)
      console.log(`${code === 0 ? 'passed' : 'FAILED'}: ${command} (${seconds} s)`)
      if (code !== 0) process.stdout.write(Buffer.concat(output))
      resolve(code === 0)
    })
  })
}

const waiting = [...CHECKS]
const results = []
await Promise.all(
  Array.from({length: availableParallelism()}, async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) results.push(await run(next))
  }),
)
process.exitCode = results.every(Boolean) ? 0 : 1
