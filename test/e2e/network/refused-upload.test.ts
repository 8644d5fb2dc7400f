import {truncateSync} from 'node:fs'
import {afterEach, expect, test} from 'vitest'
import {readFaultPlan} from '#lib/service/faults/read.js'
import {startWorld, type World} from '../../support/world.js'

/** Content that is refused while being sent: the service closes the connection. */

const plan = (...rules: object[]) => readFaultPlan(JSON.stringify({rules}))
const chunk = {operations: 'files.insert', via: 'chunk', fault: 'status'}
const SIZE = 100 * 1024 * 1024

let world: World
afterEach(() => world.close())

function largeFile(): string {
  const path = world.file('large.bin', '')
  truncateSync(path, SIZE)
  return path
}

test('the error shows the reason of the service, not the closed connection', async () => {
  world = await startWorld({
    faults: plan({...chunk, status: 403, reason: 'forbidden'}),
    connections: {drainBytes: 1024 * 1024},
  })
  const {code, stderr} = await world.run('files insert', [largeFile(), '--timeout', '30'])
  expect(stderr).toRead()
  expect(code).toBe(6)
})

test('a retryable one is retried, over another connection', async () => {
  world = await startWorld({faults: plan({...chunk, status: 503, calls: [1]})})
  const {fileSize} = await world.drv('files insert', largeFile(), '--timeout', '60')
  expect(fileSize).toBe(String(SIZE))
})
