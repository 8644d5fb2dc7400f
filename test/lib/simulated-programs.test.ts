import {beforeAll, expect, test} from 'vitest'
import type {HttpRequest, Send} from '#lib/client/transport/transport.js'
import {loadBundled} from '../../simulate/model/build.js'
import type {Program} from '../../simulate/model/program.js'
import {isFull, rounds} from '../support/size.js'

/** Random programs of commands in one process: see simulate/model. */

let model: typeof import('../../simulate/model/entry.js')
beforeAll(async () => {
  model = await loadBundled('simulate/model/entry.ts')
})

test('random programs leave behind what they may', async () => {
  const seed = Date.now() % 1_000_000_000
  console.log(`To repeat these programs: npm run simulate:model -- --seed ${seed}`)
  const {failure} = await model.search({seed, time: rounds(3000, 60_000)})
  expect(failure).toBe(undefined)
})

test('a program has the same result each time', async () => {
  const program: Program = [
    {
      commands: [
        {action: 'push', choices: 7},
        {action: 'table', choices: 3},
        {action: 'upload', choices: 1},
      ],
      faults: [{request: 5, fault: 'response lost'}],
      order: 3,
    },
    {
      commands: [{action: 'undo', choices: 0}, null, {action: 'copy', choices: 4, killAt: 9}],
      ...{faults: [], order: 5},
    },
  ]
  const one = await model.replay(program, {isVerbose: true})
  expect(one.wrong).toEqual([])
  expect(one.log.length).toBeGreaterThan(8)
  expect(await model.replay(program, {isVerbose: true})).toEqual(one)
})

/** Transports with an error that the simulation must find. */
const PLANTS: Record<string, (send: Send) => Send> = {
  'repeats every POST after a lost response': send => async request => {
    try {
      return await send(request)
    } catch (error) {
      if (request.method !== 'POST') throw error
      return send(request)
    }
  },
  'does not send what moves an item to the trash': send => async request =>
    send(request.url.includes('/trash?') ? asRead(request) : request),
}

const asRead = (request: HttpRequest): HttpRequest => ({
  ...request,
  method: 'GET',
  url: request.url.replace('/trash?', '?'),
})

test.each(Object.entries(PLANTS))('finds a client that %s', async (_, send) => {
  const {failure} = await model.search({seed: 61, programs: 300, plant: {send}, shrinks: isFull})
  expect(failure?.wrong.length).toBeGreaterThan(0)
  const commands = failure!.program.flatMap(round => round.commands.filter(Boolean))
  if (isFull) expect(commands.length).toBeLessThanOrEqual(2)
})
