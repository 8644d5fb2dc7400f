import type {Config} from '@oclif/core'
import {afterEach, beforeEach, describe, expect, test, vi} from 'vitest'
import {verb} from '#lib/cli/run/verb.js'

/** A command that a signal ends, by a clock of the test's own. */

const Stuck = verb({
  summary: 'Do nothing, for ever.',
  examples: [],
  effect: 'reads',
  run: () => new Promise(() => {}),
})

describe('Ctrl-C', () => {
  const exit = vi.fn<(code?: number | string | null) => never>()
  beforeEach(() => {
    vi.useFakeTimers({toFake: ['setTimeout']})
    vi.spyOn(process, 'exit').mockImplementation(exit)
  })
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
    exit.mockReset()
  })

  /** A command under way whose end is never reached, so that the process would go on. */
  function running() {
    const command = new Stuck([], {bin: 'drv', version: '0.0.0'} as unknown as Config)
    return expect(command.run()).rejects.toThrow('Interrupted')
  }

  test('ends the process after three seconds, whatever does not end by itself', async () => {
    const ended = running()
    process.emit('SIGINT')
    await ended
    vi.advanceTimersByTime(2999)
    expect(exit).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(exit.mock.calls).toEqual([[130]])
  })

  test('the second time ends it at once', async () => {
    const ended = running()
    process.emit('SIGINT')
    process.emit('SIGINT')
    expect(exit.mock.calls).toEqual([[130]])
    await ended
  })
})
