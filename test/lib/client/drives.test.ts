import {afterEach, expect, test} from 'vitest'
import {onlyDriveNamed} from '#lib/client/calls.js'
import {type Place, startPlace} from '../transfer/world.js'

let place: Place | undefined
afterEach(async () => {
  await place?.close()
  place = undefined
})

const insert = (name: string, requestId = 'once') => ({params: {requestId}, body: {name}})
const lose = [{operations: 'drives.insert', fault: 'lose', calls: [1]}]

/** The existing drives, by name. */
async function names(): Promise<unknown[]> {
  const {items} = (await place!.process().client.call('drives.list', {params: {}}))!
  return (items as Array<{name: string}>).map(({name}) => name).sort()
}

test.each([
  ['an answer that is lost', lose],
  [
    'a service that fails',
    [{operations: 'drives.insert', fault: 'status', status: 503, calls: [1]}],
  ],
])('a shared drive is created once despite %s', async (_, rules) => {
  place = await startPlace(rules)
  const {client} = place.process()
  const made = await client.call('drives.insert', insert('Notes'))
  expect(made).toMatchObject({kind: 'drive#drive', name: 'Notes', id: expect.any(String)})
  expect(await names()).toEqual(['Notes'])
})

test('only the selected fields are returned', async () => {
  place = await startPlace(lose)
  const {params, body} = insert('Notes')
  const {client} = place.process()
  const made = await client.call('drives.insert', {params: {...params, fields: 'id'}, body})
  expect(made).toEqual({id: expect.any(String)})
})

test('if several have the name, the outcome stays unknown', async () => {
  place = await startPlace([{...lose[0], calls: [2]}])
  const {client} = place.process()
  await client.call('drives.insert', insert('Notes', 'other'))
  await expect(client.call('drives.insert', insert('Notes'))).rejects.toMatchObject({
    status: 409,
    reason: 'duplicate',
  })
  expect(await names()).toEqual(['Notes', 'Notes'])
})

test('an error without doubt is passed on', async () => {
  place = await startPlace()
  const {client} = place.process()
  await client.call('drives.insert', insert('Notes'))
  await expect(client.call('drives.insert', insert('Notes'))).rejects.toMatchObject({status: 409})
})

test.each([[[null]], [{0: {name: 'Notes'}}], ['Notes']])(
  '%j is not a list of drives',
  async items => {
    async function* pages() {
      yield {items}
    }
    await expect(onlyDriveNamed(pages(), 'Notes')).rejects.toRead()
  },
)
