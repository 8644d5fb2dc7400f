import {expect, test} from 'vitest'
import {type ChangeGate, withGate} from '#lib/client/change-gate.js'
import type {BatchCall, Client, Outcome} from '#lib/client/client.js'
import {createClient} from '#lib/client/index.js'

const GET: BatchCall = {id: 'files.get', input: {params: {fileId: 'A'}}}
const TRASH: BatchCall = {id: 'files.trash', input: {params: {fileId: 'B'}}}
const PATCH: BatchCall = {id: 'files.patch', input: {params: {fileId: 'C'}, body: {title: 'x'}}}

/** A client that records what is sent, behind a gate that records what passes it. */
function gated(own: Partial<ChangeGate> = {}, hasBatches = true) {
  const sent: unknown[] = []
  const passed: unknown[] = []
  const answer = ({id, input}: BatchCall): Outcome => {
    sent.push([id, input.params.fileId])
    return id === 'files.patch' ? {error: new Error('no')} : {record: {id: input.params.fileId}}
  }
  const send = async () => {
    throw new Error('Nothing is sent here.')
  }
  const real = createClient({baseUrl: 'http://127.0.0.1:1', token: async () => 't', send})
  const client: Client = {
    ...real,
    async call(id, input) {
      const outcome = answer({id, input})
      if ('error' in outcome) throw outcome.error
      return outcome.record
    },
    batch: async calls => (hasBatches ? calls.map(answer) : undefined),
    uploads: {
      ...real.uploads,
      start: async () => '/session',
      send: async () => ({isDone: true, record: {id: 'N'}}),
    },
  }
  const gate: ChangeGate = {
    async calls(calls, send) {
      passed.push(['sent', ...calls.map(({id}) => id)])
      const outcomes = await send(calls)
      passed.push(['came', ...(outcomes ?? []).map(outcome => Object.keys(outcome)[0])])
      return outcomes
    },
    async session({id}, start) {
      passed.push(['session', id])
      return start({params: {}})
    },
    async transfer(session, send) {
      const state = await send()
      passed.push([session, state.isDone])
      return state
    },
    cancel: async (_, send) => send(),
    ...own,
  }
  return {client: withGate(client, gate), sent, passed}
}

test('a request that reads does not pass the gate', async () => {
  const {client, passed} = gated()
  expect(await client.call(GET.id, GET.input)).toEqual({id: 'A'})
  expect(await client.batch([GET, GET])).toEqual([{record: {id: 'A'}}, {record: {id: 'A'}}])
  expect(passed).toEqual([])
})

test('a change passes the gate with its outcome', async () => {
  const {client, passed} = gated()
  expect(await client.call(TRASH.id, TRASH.input)).toEqual({id: 'B'})
  await expect(client.call(PATCH.id, PATCH.input)).rejects.toThrow('no')
  expect(passed).toEqual([
    ['sent', 'files.trash'],
    ['came', 'record'],
    ['sent', 'files.patch'],
    ['came', 'error'],
  ])
})

test('of a batch, only the changes pass the gate, and outcomes keep their places', async () => {
  const {client, passed, sent} = gated()
  const outcomes = await client.batch([TRASH, GET, PATCH, GET])
  expect(outcomes?.map(outcome => Object.keys(outcome)[0])).toEqual([
    'record',
    'record',
    'error',
    'record',
  ])
  expect(sent).toHaveLength(4)
  expect(passed).toEqual([
    ['sent', 'files.trash', 'files.patch'],
    ['came', 'record', 'error'],
  ])
})

test('without batches, a batch returns nothing', async () => {
  const {client} = gated({}, false)
  expect(await client.batch([TRASH, GET])).toBeUndefined()
})

test('a gate that throws sends nothing', async () => {
  const refuse = async () => {
    throw new Error('refused')
  }
  const {client, sent} = gated({calls: refuse, session: refuse})
  await expect(client.call(TRASH.id, TRASH.input)).rejects.toThrow('refused')
  await expect(client.batch([GET, TRASH])).rejects.toThrow('refused')
  await expect(client.uploads.start('files.insert', {params: {}})).rejects.toThrow('refused')
  expect(sent).toEqual([])
})

test('a gate can replace the inputs', async () => {
  const {client, sent} = gated({
    calls: async (calls, send) =>
      send(calls.map(({id}) => ({id, input: {params: {fileId: 'OTHER'}}}))),
  })
  await client.call(TRASH.id, TRASH.input)
  await client.batch([GET, TRASH])
  expect(sent).toEqual([
    ['files.trash', 'OTHER'],
    ['files.get', 'A'],
    ['files.trash', 'OTHER'],
  ])
})

test('an upload session passes the gate from its start to its end', async () => {
  const {client, passed} = gated()
  const session = await client.uploads.start('files.insert', {params: {}})
  await client.uploads.send(session, {start: 0, size: 1, bytes: Buffer.from('x')})
  expect(passed).toEqual([
    ['session', 'files.insert'],
    ['/session', true],
  ])
})
