import {expect, test} from 'vitest'
import {createPool} from '../../../../src/lib/transfer/tree/pool.js'

const turn = () => new Promise<void>(resolve => setImmediate(resolve))

test('does everything, never more at once than its width', async () => {
  let running = 0
  let most = 0
  const done: number[] = []
  await createPool(() => 0, 3).each(
    Array.from({length: 20}, (_, index) => index),
    async item => {
      running += 1
      most = Math.max(most, running)
      await turn()
      running -= 1
      done.push(item)
    },
  )
  expect(most).toBe(3)
  expect(done).toHaveLength(20)
})

test('after a failure nothing new begins, and what runs may end', async () => {
  const begun: number[] = []
  const ended: number[] = []
  const work = async (item: number) => {
    begun.push(item)
    await turn()
    if (item === 1) throw new Error('one')
    await turn()
    ended.push(item)
  }
  await expect(createPool(() => 0, 2).each([0, 1, 2, 3, 4, 5], work)).rejects.toThrow('one')
  expect(begun.length).toBeLessThan(5)
  expect(ended).toContain(0)
})

test('a refusal narrows it while it works', async () => {
  let running = 0
  let most = 0
  const pool = createPool(() => 5000, 8)
  await pool.each(
    Array.from({length: 40}, (_, index) => index),
    async item => {
      if (item === 8) pool.refused()
      running += 1
      if (item > 20) most = Math.max(most, running)
      await turn()
      running -= 1
    },
  )
  expect(most).toBe(4)
})

test('nothing to do is done at once', async () => {
  await createPool(() => 0).each([], async () => {
    throw new Error('never')
  })
})
