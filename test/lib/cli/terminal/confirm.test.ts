import {PassThrough} from 'node:stream'
import {describe, expect, test} from 'vitest'
import {chooseOne, confirm} from '#lib/cli/terminal/confirm.js'
import type {Io} from '#lib/cli/terminal/io.js'
import {askChoice} from '#lib/cli/terminal/prompts.js'

function answering(answer: string) {
  const stdin = new PassThrough()
  const stdout = new PassThrough()
  const stderr = new PassThrough()
  let asked = ''
  stderr.on('data', (chunk: Buffer) => {
    // The input arrives after the question.
    if (asked === '') setImmediate(() => stdin.write(answer))
    asked += chunk.toString()
  })
  const io = {stdin, stdout, stderr} as unknown as Io
  return {io, asked: () => asked, written: () => stdout.read() as unknown}
}

test('yes continues, and standard output has results only', async () => {
  const {io, asked, written} = answering('y\n')
  await confirm('Delete it?', io, new AbortController().signal)
  expect(asked()).toContain('Delete it?')
  expect(written()).toBeNull()
})

test.each(['n\n', '\n'])('%j does nothing', async answer => {
  const {io} = answering(answer)
  const asking = confirm('Delete it?', io, new AbortController().signal)
  await expect(asking).rejects.toRead()
})

test('a signal ends the prompt', async () => {
  const controller = new AbortController()
  const {io} = answering('')
  const asking = confirm('Delete it?', io, controller.signal)
  setImmediate(() => controller.abort())
  await expect(asking).rejects.toThrow()
})

describe('names from other users cannot control a prompt', () => {
  const HOSTILE = 'x \u001b]0;pwned\u0007\u009b31m\u202egnp.\r\n? Forged: all is well'

  test.each([true, false])('for yes or no, nor a choice; TERM=dumb: %j', async isDumb => {
    const {signal} = new AbortController()
    const yes = answering('y\n')
    await confirm(`Delete ${HOSTILE}?`, {...yes.io, isDumb}, signal)
    const one = answering(isDumb ? '1\n' : '\n')
    const choices = [{name: HOSTILE, value: 'a'}]
    expect(await chooseOne(HOSTILE, choices, {...one.io, isDumb}, signal)).toBe('a')
    const rows = answering('\r')
    const asking = {io: {...rows.io, height: 24}, signal}
    if (!isDumb) expect(await askChoice(asking, HOSTILE, choices)).toBe('a')
    for (const text of [yes.asked(), one.asked(), rows.asked()]) {
      expect(text).not.toMatch(/\u001b\]|\u0007|\u009b|\u202e|\n[^\w]*\? Forged/)
    }
  })
})
