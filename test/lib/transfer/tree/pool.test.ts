import {expect, test} from 'vitest'
import {createPool, type Pool} from '#lib/transfer/tree/pool.js'

const turn = () => new Promise<void>(resolve => setImmediate(resolve))

test('does everything, never more at once than its width', async () => {
  let running = 0
  let most = 0
  const done: number[] = []
  await createPool({now: () => 0, width: 3}).each(
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

/** How many run at once, of so many that each take a turn. */
async function mostAtOnce(pool: Pool, count: number): Promise<number> {
  let running = 0
  let most = 0
  await pool.each(Array(count), async () => {
    most = Math.max(most, ++running)
    await turn()
    running -= 1
  })
  return most
}

test('begins with sixteen at once where nobody chose', async () => {
  expect(await mostAtOnce(createPool({now: () => 0}), 40)).toBe(16)
})

test('grows where nobody chose, and not where somebody did', async () => {
  let now = 0
  const clock = () => (now += 1)
  expect(await mostAtOnce(createPool({now: clock}), 400)).toBeGreaterThan(16)
  expect(await mostAtOnce(createPool({now: clock, width: 5}), 400)).toBe(5)
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
  await expect(createPool({now: () => 0, width: 2}).each([0, 1, 2, 3, 4, 5], work)).rejects.toThrow(
    'one',
  )
  expect(begun.length).toBeLessThan(5)
  expect(ended).toContain(0)
})

test('a refusal narrows it while it works', async () => {
  let running = 0
  let most = 0
  const pool = createPool({now: () => 5000, width: 8})
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
  await createPool({now: () => 0}).each([], async () => {
    throw new Error('never')
  })
})

test('connections are opened for those that will soon run, and for no more', async () => {
  const opened: number[] = []
  let now = 0
  const pool = createPool({now: () => now, openAhead: count => opened.push(count)})
  pool.expect(5)
  const round = async () => {
    await turn()
    now += 100
  }
  await pool.each(Array(70), round)
  // Twice as many as run, but after the first 16 only 54 are left.
  expect(opened).toEqual([5, 32, 54])

  const few: number[] = []
  const other = createPool({now: () => now, width: 8, openAhead: count => few.push(count)})
  other.expect(20)
  await other.each(Array(3), round)
  expect(few).toEqual([8])
})
