import {mkdtempSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterEach, beforeEach, expect, test} from 'vitest'
import type {BatchCall, Client} from '#lib/client/client.js'
import {ServiceError} from '#lib/client/errors.js'
import {
  type ChannelEntry,
  channelState,
  createChannelRecord,
  thisListener,
} from '#lib/follow/channels.js'
import {withChannelRecord} from '#lib/follow/record-channels.js'

const DAY = 86_400_000
const NOW = Date.UTC(2026, 10, 23)

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'drv-channels-'))
})
afterEach(() => rmSync(directory, {recursive: true}))

const path = () => join(directory, 'channels.json')
const recordAt = (now: number) => createChannelRecord(directory, () => now)
const entry = (id: string, more: Partial<ChannelEntry> = {}): ChannelEntry => ({
  ...{id, resourceId: 'r', watches: 'changes', profile: 'p', service: 's', expires: NOW + DAY},
  ...more,
})

test('channels are kept in a file that only the user can read', async () => {
  const record = recordAt(NOW)
  expect(record.list()).toEqual([])
  await record.add(entry('a'))
  await record.add(entry('b'))
  await record.add(entry('a', {listener: 'x'}))
  expect(recordAt(NOW).list()).toEqual([entry('b'), entry('a', {listener: 'x'})])
  expect(statSync(path()).mode & 0o777).toBe(0o600)
  await record.remove({id: 'a', resourceId: 'r', service: 'another'})
  await record.remove({id: 'b', resourceId: 'r', service: 's'})
  expect(record.list().map(({id}) => id)).toEqual(['a'])
})

test('channels are forgotten a week after they expired', async () => {
  await recordAt(NOW).add(entry('a'))
  await recordAt(NOW + 7 * DAY).add(entry('b', {expires: NOW + 9 * DAY}))
  expect(recordAt(NOW).list()).toHaveLength(2)
  await recordAt(NOW + 8 * DAY + 1).add(entry('c'))
  expect(
    recordAt(NOW)
      .list()
      .map(({id}) => id),
  ).toEqual(['b', 'c'])
})

test('what is no entry is left out', () => {
  writeFileSync(path(), JSON.stringify([entry('a'), {id: 1}, null]))
  expect(recordAt(NOW).list()).toEqual([entry('a')])
  writeFileSync(path(), '{"a"')
  expect(recordAt(NOW).list()).toEqual([])
})

test('without a state directory nothing is kept', async () => {
  const record = createChannelRecord(undefined, () => NOW)
  await record.add(entry('a'))
  expect(record.list()).toEqual([])
})

test('the state of a channel', () => {
  const ended = JSON.stringify({...JSON.parse(thisListener()), process: '1 1'})
  expect(channelState(entry('a'), NOW)).toBe('open')
  expect(channelState(entry('a', {listener: thisListener()}), NOW)).toBe('listening')
  expect(channelState(entry('a', {listener: ended}), NOW)).toBe('open')
  expect(channelState(entry('a', {listener: thisListener()}), NOW + DAY)).toBe('expired')
  expect(channelState(entry('a', {expires: undefined}), NOW)).toBe('open')
})

/** A client that answers each call with `answer`, and records channels. */
function recording(answer: (call: BatchCall) => Record<string, unknown> | undefined) {
  const sent: BatchCall[] = []
  const losses: unknown[] = []
  const answered = (call: BatchCall) => {
    sent.push(call)
    return answer(call)
  }
  const client = {
    call: async (id: BatchCall['id'], input: BatchCall['input']) => answered({id, input}),
    batch: async (calls: readonly BatchCall[]) =>
      calls.map(call => {
        try {
          return {record: answered(call)}
        } catch (error) {
          return {error}
        }
      }),
  } as unknown as Client
  const record = recordAt(NOW)
  return {
    sent,
    losses,
    record,
    client: withChannelRecord(client, {
      profile: 'p',
      service: 's',
      record: async () => record,
      onLoss: error => void losses.push(error),
    }),
  }
}

const opened = ({input}: BatchCall) => ({
  id: input.body?.id,
  resourceId: `r-${String(input.params.fileId ?? 'all')}`,
  expiration: String(NOW + DAY),
  token: input.body?.token,
})

test('channels that a client opens are recorded without token and address', async () => {
  const {client, record} = recording(opened)
  const address = 'https://a.example/?key=secret'
  await client.call('changes.watch', {params: {}, body: {id: 'c1', token: 'secret', address}})
  const watch = (fileId: string) => ({
    id: 'files.watch' as const,
    input: {params: {fileId}, body: {id: `c-${fileId}`, token: 'secret', address}},
  })
  await client.batch([watch('F1'), {id: 'files.get', input: {params: {fileId: 'x'}}}, watch('F2')])
  expect(record.list().map(({id, watches, resourceId}) => [id, watches, resourceId])).toEqual([
    ['c1', 'changes', 'r-all'],
    ['c-F1', 'F1', 'r-F1'],
    ['c-F2', 'F2', 'r-F2'],
  ])
  expect(record.list()[0]).toEqual(entry('c1', {resourceId: 'r-all'}))
  expect(readFileSync(path(), 'utf8')).not.toMatch(/secret|example/)
})

test('a selection of fields also brings those that stop a channel, and shows the selected ones', async () => {
  const {client, record, sent} = recording(opened)
  const response = await client.call('changes.watch', {
    params: {fields: 'id,token'},
    body: {id: 'c', token: 't'},
  })
  expect(response).toEqual({id: 'c', token: 't'})
  expect(sent[0]!.input.params.fields).toBe('id,token,resourceId,expiration')
  expect(record.list()).toHaveLength(1)
  await client.call('changes.watch', {params: {fields: '*'}, body: {id: 'd'}})
  expect(sent[1]!.input.params.fields).toBe('*')
})

test('a stopped channel is forgotten, also if the service does not have it', async () => {
  let failure: ServiceError | undefined
  const {client, record} = recording(call => {
    if (call.id !== 'channels.stop') return opened(call)
    if (failure) throw failure
    return undefined
  })
  for (const id of ['a', 'b', 'c']) await client.call('changes.watch', {params: {}, body: {id}})
  const stop = (id: string) =>
    client.call('channels.stop', {params: {}, body: {id, resourceId: 'r-all'}})
  await stop('a')
  failure = new ServiceError(404, 'notFound', 'Channel not found')
  await expect(stop('b')).rejects.toBe(failure)
  failure = new ServiceError(503, 'backendError', 'Error')
  await expect(stop('c')).rejects.toBe(failure)
  expect(record.list().map(({id}) => id)).toEqual(['c'])
})

test('a record that cannot be written does not fail the command', async () => {
  const {client, losses} = recording(opened)
  writeFileSync(`${path()}.lock`, JSON.stringify(JSON.parse(thisListener())))
  rmSync(directory, {recursive: true})
  writeFileSync(directory, 'a file')
  expect(await client.call('changes.watch', {params: {}, body: {id: 'a'}})).toMatchObject({id: 'a'})
  expect(losses).toHaveLength(1)
})
