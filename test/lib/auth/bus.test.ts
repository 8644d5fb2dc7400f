import {mkdtemp, rm} from 'node:fs/promises'
import {createServer, type Server, type Socket} from 'node:net'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterEach, beforeEach, expect, test} from 'vitest'
import {isBusSilent, socketPath} from '../../../src/lib/auth/store/bus.js'
import {keychainStore} from '../../../src/lib/auth/store/keychain.js'

test.each([
  [{}, undefined],
  [{XDG_RUNTIME_DIR: '/run/user/1'}, '/run/user/1/bus'],
  [{DBUS_SESSION_BUS_ADDRESS: 'unix:path=/tmp/a%20b,guid=1', XDG_RUNTIME_DIR: '/x'}, '/tmp/a b'],
  [{DBUS_SESSION_BUS_ADDRESS: 'unix:guid=1,path=/tmp/a;unix:path=/tmp/b'}, '/tmp/a'],
  [{DBUS_SESSION_BUS_ADDRESS: 'unix:abstract=/tmp/dbus-x,guid=1'}, '\0/tmp/dbus-x'],
  [{DBUS_SESSION_BUS_ADDRESS: 'tcp:host=localhost,port=1'}, undefined],
  [{DBUS_SESSION_BUS_ADDRESS: 'autolaunch:'}, undefined],
])('the bus of %j is at %j', (environment, expected) => {
  expect(socketPath(environment)).toBe(expected)
})

let directory: string
let server: Server | undefined
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'drv-'))
})
afterEach(async () => {
  server?.close()
  server = undefined
  await rm(directory, {recursive: true})
})

async function bus(onConnection: (socket: Socket) => void) {
  const path = join(directory, 'bus')
  server = createServer(onConnection)
  await new Promise<void>(resolve => server!.listen(path, resolve))
  return {DBUS_SESSION_BUS_ADDRESS: `unix:path=${path}`}
}

test.skipIf(process.platform === 'win32')('a bus that answers is not silent', async () => {
  const environment = await bus(socket => socket.once('data', () => socket.write('REJECTED\r\n')))
  expect(await isBusSilent(environment, 3000)).toBe(false)
})

test.skipIf(process.platform === 'win32')('one that says nothing is', async () => {
  const environment = await bus(() => undefined)
  expect(await isBusSilent(environment, 30)).toBe(true)
})

test('one that is not there is for the library to tell', async () => {
  const nowhere = {DBUS_SESSION_BUS_ADDRESS: `unix:path=${directory}/none`}
  expect(await isBusSilent(nowhere, 3000)).toBe(false)
})

test.skipIf(process.platform !== 'linux')('the library is not even asked then', async () => {
  const library = {
    AsyncEntry: class {
      constructor() {
        throw new Error('It would wait for ever.')
      }
    },
  }
  const store = keychainStore(
    async () => library as never,
    3000,
    async () => true,
  )
  await expect(store.getPassword('drv', 'a')).rejects.toThrow('did not answer within 3 seconds')
})
