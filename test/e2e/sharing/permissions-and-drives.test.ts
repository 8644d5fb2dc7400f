import {createServer} from 'node:http'
import type {AddressInfo} from 'node:net'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'

let world: World
let ada: World
let file: string
beforeAll(async () => {
  world = await startWorld({}, runHere)
  ada = await world.as('ada')
  file = (await world.drv('files insert', world.file('shared.txt', 'x'))).id
})
afterAll(() => world.close())

test('a permission grants another account access until it is deleted', async () => {
  const {drv} = world
  expect((await ada.run('files get', [file])).code).toBe(5)
  const inserted = await drv(
    ...(['permissions insert', file, '--type', 'user', '--role', 'reader'] as const),
    ...['--value', 'ada@example.com'],
  )
  expect(await ada.drv('files get', file)).toMatchObject({id: file})
  expect((await ada.run('files trash', [file])).code).toBe(6)

  const {id} = await drv('permissions get-id-for-email', 'ada@example.com')
  expect(id).toBe(inserted.id)
  expect((await drv('permissions list', file)).items).toHaveLength(2)

  await drv('permissions patch', file, id, '--additional-roles', 'commenter')
  expect(await drv('permissions get', file, id)).toMatchObject({additionalRoles: ['commenter']})
  await drv('permissions update', file, id, '--role', 'writer')
  await ada.drv('files patch', file, '--title', 'renamed by ada')
  expect(await drv('files get', file)).toMatchObject({title: 'renamed by ada'})

  await drv('permissions delete', file, id)
  expect((await ada.run('files get', [file])).code).toBe(5)
})

test('a shared drive is created, hidden, shown, renamed and deleted', async () => {
  const {drv, run} = world
  const {id} = await drv('drives insert', '--name', 'Team', '--request-id', 'team-1')
  const again = await run('drives insert', ['--name', 'Team', '--request-id', 'team-1'])
  expect(again.code).toBe(12)
  expect((await drv('drives list')).items).toMatchObject([{id, name: 'Team'}])
  await drv('drives hide', id)
  expect(await drv('drives get', id)).toMatchObject({hidden: true})
  await drv('drives unhide', id)
  expect(await drv('drives get', id)).toMatchObject({hidden: false})
  await drv('drives update', id, '--name', 'Crew')
  expect(await drv('drives get', id)).toMatchObject({name: 'Crew'})

  const item = await drv('files insert', world.file('in-drive.txt', 'x'), '--parent', id)
  expect(item).toMatchObject({driveId: id})
  expect((await run('drives delete', [id, '--yes'])).code).toBe(6)
  await drv('files trash', item.id)
  await drv('drives delete', id, '--yes')
  expect((await run('drives get', [id])).code).toBe(5)
})

test('changes are listed from a start token', async () => {
  const {drv, run} = world
  const {startPageToken} = await drv('changes get-start-page-token')
  await drv('files patch', file, '--title', 'changed')
  const list = await drv('changes list', '--page-token', startPageToken)
  expect(list.items).toMatchObject([{fileId: file, deleted: false, file: {title: 'changed'}}])
  expect(list.newStartPageToken).toBeDefined()

  const old = await run('changes get', [list.items[0].id, '--format', 'ndjson'])
  expect(old.json()).toMatchObject({fileId: file})
  expect(old.stderr).toMatch(/get-start-page-token/)
})

test('channels report changes until they are stopped', async () => {
  const {drv, run} = world
  const received: {state: string; number: number; channel: string}[] = []
  const listeners = new Set<() => void>()
  const server = createServer((request, response) => {
    received.push({
      state: String(request.headers['x-goog-resource-state']),
      number: Number(request.headers['x-goog-message-number']),
      channel: String(request.headers['x-goog-channel-id']),
    })
    request.resume()
    response.end()
    for (const listener of listeners) listener()
  })
  await new Promise<void>(ready => server.listen(0, '127.0.0.1', ready))
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const states = (channel: string) =>
    received.filter(message => message.channel === channel).map(message => message.state)
  const arrives = (channel: string, state: string) =>
    new Promise<void>(settle => {
      const check = () => {
        if (!states(channel).includes(state)) return
        listeners.delete(check)
        settle()
      }
      listeners.add(check)
      check()
    })

  const onChanges = await drv('changes watch', '--id', 'c1', '--address', address)
  const onFile = await drv('files watch', file, '--id', 'f1', '--address', address)
  await Promise.all([arrives('c1', 'sync'), arrives('f1', 'sync')])
  await drv('files patch', file, '--title', 'watched')
  await Promise.all([arrives('c1', 'change'), arrives('f1', 'update')])
  await drv('files trash', file)
  await arrives('f1', 'trash')

  for (const {id, resourceId} of [onChanges, onFile]) {
    await drv('channels stop', '--id', id, '--resource-id', resourceId)
  }
  const before = received.length
  await drv('files untrash', file)
  const stopped = await run('channels stop', ['--id', 'c1', '--resource-id', onChanges.resourceId])
  expect(stopped.code).toBe(5)
  expect(received).toHaveLength(before)
  server.close()
})

test('about describes the user', async () => {
  const {drv} = world
  const about = await drv('about get')
  expect(about).toMatchObject({kind: 'drive#about', user: {emailAddress: 'local@example.com'}})
  expect(await drv('files get', about.rootFolderId)).toMatchObject({id: about.rootFolderId})
})
