import {mkdtempSync, readdirSync, statSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect, test} from 'vitest'
import {createLimiter} from '#lib/client/retry/attempts.js'

const START = 1_000_000

function processes() {
  const directory = mkdtempSync(join(tmpdir(), 'drv-'))
  const file = join(directory, 'limits', 'profile')
  let time = START
  const slept: number[] = []
  const sleep = async (milliseconds: number) => {
    slept.push(milliseconds)
    time += milliseconds
  }
  const process = () => createLimiter({file, now: () => time, sleep, random: () => 0})
  return {directory, file, slept, process, at: () => time}
}

test('all wait until the reported time', async () => {
  const {file, slept, process, at} = processes()
  await process().pause(2000)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  await process().ready()
  expect(at()).toBe(START + 2000)
  await process().ready()
  expect(slept).toEqual([2000])
})

test('the longest pause counts, in any order', async () => {
  const {process, at} = processes()
  await process().pause(5000)
  await process().pause(1000)
  await process().ready()
  expect(at()).toBe(START + 5000)
})

test('a pause extended during a wait is waited for', async () => {
  const {directory, file} = processes()
  let time = START
  const limiter = createLimiter({
    file,
    now: () => time,
    random: () => 0,
    async sleep(milliseconds) {
      time += milliseconds
      if (time < START + 3000) await limiter.pause(2000)
    },
  })
  await limiter.pause(1000)
  await limiter.ready()
  expect(time).toBe(START + 3000)
  expect(readdirSync(join(directory, 'limits'))).toEqual(['profile'])
})

test.each(['', 'nonsense', String(START + 10 ** 9), 'Infinity'])(
  'a file with %j blocks nobody',
  async text => {
    const {file, slept, process} = processes()
    await process().pause(1)
    writeFileSync(file, text)
    await process().ready()
    expect(slept).toEqual([])
  },
)

test('without a writable file, each process waits on its own', async () => {
  const {directory} = processes()
  const file = join(directory, 'file')
  writeFileSync(file, '')
  const limiter = createLimiter({
    file: join(file, 'below', 'limit'),
    now: () => START,
    sleep: async () => expect.unreachable(),
    random: () => 0,
  })
  await limiter.pause(1000)
  await limiter.ready()
})
