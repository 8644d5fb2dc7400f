import {describe, expect, test} from 'vitest'
import {
  createExecutor,
  type Executing,
  FailedCommand,
  repetitionDelay,
} from '#lib/cli/verbs/follow/executor.js'
import type {FollowedChange} from '#lib/follow/interpret.js'

let number = 0
const change = (fileId: string): FollowedChange => {
  number += 1
  return {
    id: String(number),
    time: '',
    kinds: ['content'],
    fileId,
    path: `/${fileId}`,
    title: fileId,
  }
}

/** Waits until nothing is left to do at once. */
const idle = () => new Promise<void>(resolve => setImmediate(resolve))

/** An executor whose commands end when `end` says so. */
function setUp(options: Partial<Executing> = {}) {
  const log: string[] = []
  const running: Array<{readonly name: string; end(status: number): void}> = []
  const executor = createExecutor({
    run(changes) {
      const name = changes.map(({fileId}) => fileId).join('+')
      log.push(`start ${name}`)
      return new Promise(resolve => {
        running.push({
          name,
          end(status) {
            log.push(`end ${name} ${status}`)
            resolve(status)
          },
        })
      })
    },
    jobs: 1,
    retries: 0,
    keepsGoing: false,
    sleep: async milliseconds => void log.push(`sleep ${milliseconds}`),
    onRetry: text => log.push(`again: ${text}`),
    onFailure: text => log.push(`failed: ${text}`),
    ...options,
  })
  const accept = async (...ids: string[]) => {
    const all = []
    for (const id of ids) {
      const {done} = await executor.accept(change(id))
      all.push(done.then(() => void log.push(`done ${id}`)))
    }
    await idle()
    return all
  }
  const end = async (status = 0) => {
    running.shift()!.end(status)
    await idle()
  }
  return {log, executor, accept, end}
}

test('one command at a time, in order', async () => {
  const {log, accept, end} = setUp()
  await accept('a', 'b')
  expect(log).toEqual(['start a'])
  await end()
  expect(log).toEqual(expect.arrayContaining(['end a 0', 'done a', 'start b']))
})

test('several at a time, but those of one file in order', async () => {
  const {log, accept, end} = setUp({jobs: 2})
  await accept('a', 'a', 'b', 'c')
  expect(log).toEqual(['start a', 'start b'])
  await end()
  expect(log.filter(line => line.startsWith('start'))).toEqual(['start a', 'start b', 'start a'])
})

test('a failing command is repeated, then everything stops', async () => {
  const {log, accept, end, executor} = setUp({retries: 2})
  const [a, b] = await accept('a', 'b')
  const failed = a!.catch((error: unknown) => error)
  await end(3)
  await end(3)
  await end(3)
  const error = await failed
  expect(error).toBeInstanceOf(FailedCommand)
  expect(error).toMatchObject({status: 3})
  expect(error).toRead()
  expect(log.filter(line => line.startsWith('sleep'))).toEqual(['sleep 1000', 'sleep 2000'])
  expect(log).not.toContain('start b')
  await executor.stop()
  expect(await Promise.race([b, Promise.resolve('pending')])).toBe('pending')
})

test('with keepsGoing the next change follows', async () => {
  const {log, accept, end, executor} = setUp({keepsGoing: true})
  await accept('a', 'b')
  await end(3)
  await end()
  expect(log.filter(line => line.startsWith('failed: '))).toEqual([
    expect.stringMatching(/\/a\b.*\b3\b/),
  ])
  expect(log).toContain('done a')
  expect(log).toContain('done b')
  expect(executor.failed).toBe(1)
})

describe('a batch', () => {
  test('collects changes, also while a command runs', async () => {
    const timers: Array<() => void> = []
    const sleep = () => new Promise<void>(resolve => timers.push(resolve))
    const {log, accept, end} = setUp({batch: 5000, sleep})
    await accept('a', 'b')
    expect(log).toEqual([])
    timers.shift()!()
    await idle()
    expect(log).toEqual(['start a+b'])
    await accept('c')
    timers.shift()!()
    await idle()
    expect(log).toEqual(['start a+b'])
    await end()
    expect(log).toContain('start c')
  })

  test('ends at once when nothing more is pending', async () => {
    const {log, accept, end, executor} = setUp({
      batch: 5000,
      sleep: () => new Promise(() => undefined),
    })
    await accept('a', 'b')
    const settled = executor.settle()
    await end()
    await settled
    expect(log).toEqual(['start a+b', 'end a+b 0', 'done a', 'done b'])
  })
})

test('the delays before repetitions grow up to a minute', () => {
  expect([1, 2, 3, 6, 7, 20].map(repetitionDelay)).toEqual([
    ...[1000, 2000, 4000, 32_000, 60_000, 60_000],
  ])
})
