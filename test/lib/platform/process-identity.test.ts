import {spawn} from 'node:child_process'
import {once} from 'node:events'
import {readFileSync} from 'node:fs'
import {expect, test} from 'vitest'
import {markOfProcess} from '#lib/platform/process-identity.js'

test('a running process has an identity, which starts with its number', () => {
  const mark = markOfProcess(process.pid)
  expect(mark).toMatch(new RegExp(`^${process.pid}( |$)`))
  expect(markOfProcess(process.pid)).toBe(mark)
})

test.each([0, -1, 1.5, Number.NaN, 2 ** 30])('no process has the number %d', pid => {
  expect(markOfProcess(pid)).toBeUndefined()
})

test.runIf(process.platform === 'linux')(
  'a process that ended counts as gone before its parent has reaped it',
  async () => {
    // The parent becomes a program that never reaps its children.
    const parent = spawn('sh', ['-c', 'cat <&3 & echo $!; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
    })
    try {
      const [line] = (await once(parent.stdout!, 'data')) as [Buffer]
      const pid = Number(line)
      expect(markOfProcess(pid)).toBeDefined()
      // Before that it is a shell, which does reap them.
      await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8').trim()).toBe('sleep')
      process.kill(pid, 'SIGKILL')
      await expect.poll(() => readFileSync(`/proc/${pid}/stat`, 'utf8')).toMatch(/\) Z /)
      expect(markOfProcess(pid)).toBeUndefined()
    } finally {
      parent.kill('SIGKILL')
    }
  },
)
