import {createHash} from 'node:crypto'
import {Readable} from 'node:stream'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {downloadFile} from '#lib/transfer/download.js'
import {createThrottle, throttled} from '#lib/transfer/throttle.js'
import type {UploadContent} from '#lib/transfer/types.js'
import {uploadFile} from '#lib/transfer/upload.js'
import {type Place, startPlace} from './world.js'

/** A clock that sleeping advances; each sleep takes `late` milliseconds longer. */
function clock(rate: number, late = 0) {
  let time = 5000
  const throttle = createThrottle({
    rate,
    now: () => time,
    async sleep(milliseconds) {
      time += milliseconds + late
    },
  })
  return {throttle, passed: () => time - 5000, pass: (ms: number) => void (time += ms)}
}

describe('a throttle', () => {
  test('passes this many bytes a second', async () => {
    const {throttle, passed} = clock(1000)
    for (let n = 0; n < 101; n++) await throttle.take(100)
    expect(passed()).toBe(10_000)
  })

  test('compensates late timers', async () => {
    const {throttle, passed} = clock(1000, 30)
    for (let n = 0; n < 101; n++) await throttle.take(100)
    expect(passed()).toBeLessThanOrEqual(10_030)
  })

  test('compensates little of the unused rate', async () => {
    const {throttle, passed, pass} = clock(1000)
    pass(60_000)
    for (let n = 0; n < 101; n++) await throttle.take(100)
    expect(passed()).toBe(60_000 + 9_750)
  })

  test('serves concurrent requests in turn', async () => {
    const waits: number[] = []
    const sleep = async (milliseconds: number) => void waits.push(milliseconds)
    const throttle = createThrottle({rate: 1000, now: () => 0, sleep})
    await Promise.all([throttle.take(500), throttle.take(500), throttle.take(500)])
    expect(waits).toEqual([500, 1000])
  })

  test.each([
    [100, 1024],
    [160_000, 10_000],
    [1e9, 65_536],
  ])('at %i bytes a second passes pieces of %i', (rate, slice) => {
    expect(clock(rate).throttle.slice).toBe(slice)
  })
})

test('content is sent in pieces, and a second attempt counts too', async () => {
  const bytes = Buffer.alloc(10_000, 'x')
  const opened = {piece: async () => ({start: 0, size: 10_000, bytes: () => bytes})}
  const {throttle, passed} = clock(16_000)
  const signal = new AbortController().signal
  const content = throttled(opened as unknown as UploadContent, throttle, signal)
  const {bytes: open} = await content.piece(0)
  const lengths = (await (open() as Readable).toArray()).map((chunk: Buffer) => chunk.length)
  expect(lengths).toEqual([...Array<number>(9).fill(1024), 784])
  expect(passed()).toBeCloseTo((9 * 1024) / 16, 5)
  await (open() as Readable).toArray()
  expect(passed()).toBeCloseTo((20_000 - 784) / 16, 5)
})

describe('transfers of one run', () => {
  let place: Place
  beforeAll(async () => {
    place = await startPlace()
  })
  afterAll(() => place.close())

  test.each([
    ['small', 300_000],
    ['in chunks that a session takes', 9 * 1024 * 1024],
    ['empty', 0],
  ])('share the limit in both directions: %s', async (name, size) => {
    const {throttle, passed} = clock(1_000_000)
    const world = {...place.process(), throttle}
    const content = Buffer.alloc(size, name)
    const path = place.file('up', content)
    const upload = {operation: 'files.insert', params: {fields: 'id'}, source: {path}} as const
    const {id} = await uploadFile(world, upload)
    const up = passed()
    expect(up / 1000).toBeCloseTo(size / 1e6, 0)
    const {md5} = await downloadFile(world, {
      ...{operation: 'files.get', params: {fileId: String(id)}},
      ...{path: `${place.folder}/down-${size}`, overwrite: true, size},
    })
    expect(md5).toBe(createHash('md5').update(content).digest('hex'))
    expect((passed() - up) / 1000).toBeCloseTo(size / 1e6, 0)
  })
})
