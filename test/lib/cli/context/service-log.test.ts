import {beforeEach, describe, expect, test} from 'vitest'
import {failureLog, localServiceFailureLog} from '#lib/cli/context/embedded-service.js'
import {createSay} from '#lib/cli/terminal/say.js'
import {DataError} from '#lib/platform/setup-error.js'

let now: number
let written: string[]
beforeEach(() => {
  now = 0
  written = []
})
const surroundings = (debug = false) => ({
  io: {
    log: createSay({write: (text: string) => written.push(text)}, {DRV_TOKEN: 'secret-token'}),
  },
  now: () => now,
  options: {debug},
})

describe('a failure of a running service', () => {
  test.each([
    [new DataError('The disk is full.', 'Make room.'), 'The disk is full.'],
    [new TypeError('x is not a function'), 'x is not a function'],
    [
      Object.assign(new Error('ENOSPC: no space'), {code: 'ENOSPC', path: '/data/x'}),
      'Cannot write /data/x: the disk is full.',
    ],
    [Object.assign(new Error('EBADF: bad file descriptor, close'), {}), 'bad file descriptor'],
    [new Error('secret-token is none'), '(secret) is none'],
    ['a bare text', 'a bare text'],
    [undefined, 'undefined'],
  ])('%s is one line', (error, words) => {
    failureLog(surroundings())(error)
    expect(written).toEqual([`The service failed: ${words}\n`])
  })

  test('is logged once while it repeats, and again after a minute', () => {
    const log = failureLog(surroundings())
    for (; now < 60_000; now += 1000) log(new Error('one'))
    expect(written).toHaveLength(1)
    log(new Error('two'))
    log(new Error('one'))
    log(new Error('one'))
    expect(written).toHaveLength(3)
  })

  test('has a stack trace with --debug', () => {
    const error = new Error('one')
    failureLog(surroundings(true))(error)
    expect(written).toEqual([`The service failed: one\n${error.stack}\n`])
  })

  test('is not logged if the response has the same message', () => {
    const log = localServiceFailureLog(surroundings())
    log(new DataError('The disk is full.', 'Make room.'))
    expect(written).toEqual([])
    log(new Error('one'))
    expect(written).toEqual(['The service failed: one\n'])
  })
})
