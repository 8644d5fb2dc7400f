import type {Config} from '@oclif/core'
import {afterEach, beforeEach, describe, expect, test, vi} from 'vitest'
import {verb} from '#lib/cli/run/verb.js'

/** A command that a signal ends, on a clock of the test. */

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

  /** A running command that never ends, which would keep the process alive. */
  function running() {
    const command = new Stuck([], {bin: 'drv', version: '0.0.0'} as unknown as Config)
    return expect(command.run()).rejects.toThrow('Interrupted')
  }

  test('ends the process after three seconds at the latest', async () => {
    const ended = running()
    process.emit('SIGINT')
    await ended
    vi.advanceTimersByTime(2999)
    expect(exit).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(exit.mock.calls).toEqual([[130]])
  })

  test('the second one ends it at once', async () => {
    const ended = running()
    process.emit('SIGINT')
    process.emit('SIGINT')
    expect(exit.mock.calls).toEqual([[130]])
    await ended
  })
})
