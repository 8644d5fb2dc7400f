import {PassThrough} from 'node:stream'
import {expect, test} from 'vitest'
import {confirm} from '../../../../src/lib/cli/command/confirm.js'
import type {Io} from '../../../../src/lib/cli/command/io.js'

function answering(answer: string) {
  const stdin = new PassThrough()
  const stdout = new PassThrough()
  const stderr = new PassThrough()
  let asked = ''
  stderr.on('data', (chunk: Buffer) => {
    // The answer comes once the question is there.
    if (asked === '') setImmediate(() => stdin.write(answer))
    asked += chunk.toString()
  })
  const io = {stdin, stdout, stderr} as unknown as Io
  return {io, asked: () => asked, written: () => stdout.read() as unknown}
}

test('yes goes on, and standard output stays free for results', async () => {
  const {io, asked, written} = answering('y\n')
  await confirm('Delete it?', io, new AbortController().signal)
  expect(asked()).toContain('Delete it?')
  expect(written()).toBeNull()
})

test.each(['n\n', '\n'])('%j does nothing', async answer => {
  const {io} = answering(answer)
  const asking = confirm('Delete it?', io, new AbortController().signal)
  await expect(asking).rejects.toThrow('Nothing was done.')
})

test('a signal ends the question', async () => {
  const controller = new AbortController()
  const {io} = answering('')
  const asking = confirm('Delete it?', io, controller.signal)
  setImmediate(() => controller.abort())
  await expect(asking).rejects.toThrow()
})
