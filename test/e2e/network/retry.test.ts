import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {readFaultPlan} from '#lib/service/faults/read.js'
import {runHere} from '../../support/here.js'
import {missingTerminal, startAtTerminal} from '../../support/terminal.js'
import {startWorld, type World} from '../../support/world.js'

/** Messages while a request is retried. */

const rules = [
  {operations: 'files.list', fault: 'status', status: 503, calls: [1, 2]},
  {operations: 'files.get', via: 'download', fault: 'status', status: 503, calls: [1, 2]},
]
const LINE = /^The service failed: .+\. Retrying in \d+\.\d s \(attempt \d of 6\)\.$/

let world: World
beforeEach(async () => {
  world = await startWorld({faults: readFaultPlan(JSON.stringify({rules}))}, runHere)
})
afterEach(() => world.close())

test('a pipe gets no messages without --verbose', async () => {
  expect(await world.run('files list')).toMatchObject({code: 0, stderr: ''})
  await world.close()
  world = await startWorld({faults: readFaultPlan(JSON.stringify({rules}))}, runHere)
  const {stderr} = await world.run('files list', ['--debug'])
  expect(stderr.match(/! attempt \d failed/g)).toHaveLength(2)
})

describe('at a terminal', () => {
  beforeEach(({skip}) => skip(missingTerminal !== undefined, missingTerminal))

  test('each retry is a line', async () => {
    const {ended, output} = startAtTerminal(['files', 'list'], {env: world.env, columns: 160})
    expect(await ended).toBe(0)
    const [end, ...lines] = output().trim().split('\r\n').reverse()
    expect(end).toRead()
    expect(lines.map(line => LINE.test(line))).toEqual([true, true])
    expect(lines.reverse().join()).toMatch(/attempt 2 of 6\).*attempt 3 of 6\)/)
  })

  test('--quiet prints nothing', async () => {
    const {ended, output} = startAtTerminal(['files', 'list', '--quiet'], {env: world.env})
    expect(await ended).toBe(0)
    expect(output()).toBe('')
  })

  test('progress bars stay intact', async () => {
    const {id} = await world.drv('files insert', world.file('a.txt', 'content'))
    const args = ['files', 'get', id, '--download', `${world.folder}/back.txt`, '--format', 'json']
    const {ended, output} = startAtTerminal(args, {env: world.env})
    expect(await ended).toBe(0)
    // The progress bar and the line below it are cleared, and nothing is left before the result.
    expect(output()).toMatch(
      /^a\.txt [^\n]*\nThe service failed: [^\n]*\n\u001B\[2A\r\u001B\[Ja\.txt /,
    )
    expect(output()).toMatch(/\u001B\[\dA\r\u001B\[J\{[^\u001B]*$/)
  })
})
