import {chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {createSession} from '#lib/auth/session.js'
import {fileStore} from '#lib/auth/store/file.js'
import {keychainError, keychainStore} from '#lib/auth/store/keychain.js'
import {askLibrary, type Keyring} from '#lib/auth/store/keyring.js'
import type {CredentialStore, OpenStore} from '#lib/auth/store/store.js'
import {checkTokenStore, forgetToken, saveProfile, storeToken} from '#lib/auth/store-token.js'
import {tokenSource} from '#lib/auth/token-source.js'
import {readConfig} from '#lib/config/config.js'
import type {Settings} from '#lib/config/settings.js'
import {SetupError} from '#lib/platform/setup-error.js'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'drv-'))
})
afterEach(() => rm(directory, {recursive: true}))

/** The errors of the library on Windows. */
const TOO_LONG =
  "Value of 'password encoded as UTF-16' is longer than the platform limit of 2560 chars"

/** A keyring in memory, whose entries hold `longest` characters. */
function keyring(longest = Infinity) {
  const kept = new Map<string, string>()
  const options: unknown[] = []
  /** The calls in order, and the failures of some of them. */
  const calls: string[] = []
  const wrong = new Map<string, Error>()
  const called = (name: string) => {
    calls.push(name)
    const error = wrong.get(name)
    if (error) throw error
  }
  const library: Keyring = {
    Entry: class {
      readonly #key: string
      constructor(service: string, account: string, option: unknown) {
        this.#key = `${service} ${account}`
        options.push(option)
      }
      getPassword() {
        called('get')
        return kept.get(this.#key) ?? null
      }
      setPassword(password: string) {
        if (password.length > longest) throw new Error(TOO_LONG)
        kept.set(this.#key, password)
        called('set')
      }
      deletePassword() {
        called('delete')
        return kept.delete(this.#key)
      }
    },
  }
  const store = keychainStore(question => askLibrary(question, library, undefined, longest))
  return {kept, library, options, calls, wrong, store}
}

const stores: Array<[string, () => CredentialStore]> = [
  ['the keychain', () => keyring().store],
  ['a keychain with short entries', () => keyring(1200).store],
  ['the file store', () => fileStore(join(directory, 'tokens'))],
]

describe.each(stores)('%s', (_, open) => {
  test('returns stored secrets by service and account', async () => {
    const store = open()
    expect(await store.getPassword('drv', 'work@https://a.example')).toBeNull()
    await store.setPassword('drv', 'work@https://a.example', 'one')
    await store.setPassword('drv', 'work@https://b.example', 'two')
    await store.setPassword('other', 'work@https://a.example', 'three')
    await store.setPassword('drv', 'work@https://b.example', 'four')
    expect(await store.getPassword('drv', 'work@https://a.example')).toBe('one')
    expect(await store.getPassword('drv', 'work@https://b.example')).toBe('four')
    expect(await store.deletePassword('drv', 'work@https://a.example')).toBe(true)
    expect(await store.deletePassword('drv', 'work@https://a.example')).toBe(false)
    expect(await store.getPassword('drv', 'work@https://a.example')).toBeNull()
  })

  test('stores secrets of any length, and deletes them completely', async () => {
    const store = open()
    for (const length of [1199, 1200, 1201, 4096, 20_000, 1]) {
      const secret = Array.from({length}, (_, index) => (index * 7919).toString(36).at(-1)).join('')
      await store.setPassword('drv', 'a', secret)
      expect(await store.getPassword('drv', 'a')).toBe(secret)
    }
    await store.tryOut('drv', 'a')
    expect(await store.deletePassword('drv', 'a')).toBe(true)
    expect(await store.getPassword('drv', 'a')).toBeNull()
  })
})

describe('a keychain with short entries', () => {
  test('stores parts and their number, and deletes both', async () => {
    const {store, kept} = keyring(1280)
    await store.setPassword('drv', 'a', 'x'.repeat(3000))
    expect([...kept.values()].map(text => text.length)).toEqual([1200, 1200, 600, 30])
    await store.setPassword('drv', 'a', 'y'.repeat(1300))
    expect(kept.size).toBe(3)
    await store.deletePassword('drv', 'a')
    expect(kept.size).toBe(0)
  })

  /** Stores a secret in a process that is killed before its writing call number `left`. */
  async function setAndKill(library: Keyring, password: string, left: number) {
    let calls = left
    const count = () => {
      if (calls-- <= 0) throw new Error('killed')
    }
    const Entry = class extends library.Entry {
      override setPassword(password: string) {
        count()
        super.setPassword(password)
      }
      override deletePassword() {
        count()
        return super.deletePassword()
      }
    }
    const question = {ask: 'set', service: 'drv', account: 'a', password} as const
    await askLibrary(question, {Entry}, undefined, 1200).catch(() => undefined)
  }

  const [old, fresh] = ['o'.repeat(3000), 'n'.repeat(3000)]

  test('killed before any of its calls, it has the old secret or the new one', async () => {
    for (let left = 0; left < 8; left++) {
      const {store, library} = keyring(1200)
      await store.setPassword('drv', 'a', old)
      await setAndKill(library, fresh, left)
      expect(await store.getPassword('drv', 'a')).toBe(left < 4 ? old : fresh)
    }
  })

  test.each([
    ['delete', 0],
    ['store a short secret', 1],
    ['store a long secret', 3],
  ])(
    'killed before any of its calls, then asked to %s, it has no superfluous part',
    async (_, size) => {
      for (let first = 0; first < 8; first++) {
        for (let second = 0; second < 10; second++) {
          const {store, library, kept} = keyring(1200)
          await store.setPassword('drv', 'a', old)
          await setAndKill(library, fresh, first)
          await setAndKill(library, 'm'.repeat(5000), second)
          const secret = size === 1 ? 's' : 's'.repeat(1300)
          if (size === 0) await store.deletePassword('drv', 'a')
          else await store.setPassword('drv', 'a', secret)
          expect(await store.getPassword('drv', 'a')).toBe(size === 0 ? null : secret)
          expect(kept.size, `killed at ${first} and ${second}`).toBe(size)
        }
      }
    },
  )

  test('that lost a part has no secret', async () => {
    const {store, kept} = keyring(1200)
    await store.setPassword('drv', 'a', 'x'.repeat(3000))
    kept.delete([...kept.keys()].find(key => key.includes('part a2'))!)
    expect(await store.getPassword('drv', 'a')).toBeNull()
    expect(await store.deletePassword('drv', 'a')).toBe(true)
    expect(kept.size).toBe(0)
  })
})

describe('the keychain', () => {
  test('never forgets silently', async () => {
    const {options, store} = keyring()
    await store.getPassword('drv', 'a')
    expect(options).toEqual([{linux: {store: 'secret-service'}}])
  })

  test('that does not respond is reported, with alternatives', async () => {
    const store = keychainStore(() => Promise.reject(new Error('Timed out')))
    await expect(store.getPassword('drv', 'a')).rejects.toRead()
  })

  test('that is not installed', async () => {
    const store = keychainStore(() => Promise.reject(new Error('Cannot find native binding')))
    await expect(store.getPassword('drv', 'a')).rejects.toRead()
  })

  test('is tested with a separate secret if it responds and is writable', async () => {
    const {kept, calls, library} = keyring()
    const question = {ask: 'try', service: 'drv', account: 'a'} as const
    kept.set('drv a', 'mine')
    const isFirst = async () => expect(calls).toEqual(['get'])
    await askLibrary(question, library, isFirst, Infinity)
    expect(calls).toEqual(['get', 'set', 'get', 'delete'])
    expect([...kept]).toEqual([['drv a', 'mine']])
  })

  test.each([
    ['set', ['get', 'set', 'delete'], 'the disk is full'],
    ['get', ['get'], 'the disk is full'],
    ['delete', ['get', 'set', 'get', 'delete'], 'the disk is full'],
  ])('that fails to %s is left unchanged as far as possible', async (call, expected, words) => {
    const {kept, calls, store, wrong} = keyring()
    wrong.set(call, new Error(words))
    await expect(store.tryOut('drv', 'a')).rejects.toThrow(words)
    expect(calls).toEqual(expected)
    if (call !== 'delete') expect([...kept]).toEqual([])
  })

  test('that loses stored secrets is detected', async () => {
    const {library, kept} = keyring()
    const bestEffortJournal = class extends library.Entry {
      override getPassword() {
        return null
      }
    }
    const trial = askLibrary(
      {ask: 'try', service: 'drv', account: 'a'},
      {...library, Entry: bestEffortJournal},
    )
    await expect(trial).rejects.toRead()
    expect([...kept]).toEqual([])
  })

  test.each([
    'Platform failure: DBus error: Using X11 for dbus-daemon',
    'No DBus session or Secret Service provider found',
    'Secret Service: object locked',
    'Secret Service: unlock prompt was dismissed',
    'User interaction is not allowed.',
    'Data is not UTF-8 encoded',
    'Crypto error: message decryption failed',
    "Couldn't access platform storage: Secret Service: no result found",
    "Attribute 'password' is longer than platform limit; too long",
    TOO_LONG,
    '\u001B[31mstrange',
  ])('%j', message => {
    const error = keychainError(new Error(message))
    expect(error).toBeInstanceOf(SetupError)
    expect(error).toRead()
  })
})

describe('the file store', () => {
  test.skipIf(process.platform === 'win32')('is readable by its owner only', async () => {
    const place = join(directory, 'tokens')
    const store = fileStore(place)
    await store.setPassword('drv', 'a', 'secret')
    const [name] = await readdir(place)
    expect((await stat(join(place, name!))).mode & 0o777).toBe(0o600)
    expect((await stat(place)).mode & 0o777).toBe(0o700)
    await chmod(join(place, name!), 0o644)
    await expect(store.getPassword('drv', 'a')).rejects.toRead()
    await store.setPassword('drv', 'a', 'new')
    expect(await store.getPassword('drv', 'a')).toBe('new')
  })

  test.each([
    '',
    '{',
    '[]',
    '{"service":"drv","account":"a"}',
    '{"service":"drv","account":"b","password":"x"}',
  ])('a file that holds %j is damaged', async text => {
    const place = join(directory, 'tokens')
    const store = fileStore(place)
    await store.setPassword('drv', 'a', 'secret')
    const [name] = await readdir(place)
    await writeFile(join(place, name!), text)
    await expect(store.getPassword('drv', 'a')).rejects.toRead()
    expect(await store.deletePassword('drv', 'a')).toBe(true)
  })

  test('many concurrent writers leave one complete token and nothing else', async () => {
    const place = join(directory, 'tokens')
    const tokens = Array.from({length: 20}, (_, index) => `token-${index}`)
    await Promise.all(tokens.map(token => fileStore(place).setPassword('drv', 'a', token)))
    expect(tokens).toContain(await fileStore(place).getPassword('drv', 'a'))
    expect(await readdir(place)).toHaveLength(1)
  })
})

const SETTINGS: Settings = {
  profile: 'work',
  embedded: false,
  baseUrl: 'https://files.example.com',
  authUrl: 'https://auth.example.com',
  clientId: 'drv-cli',
  binding: 'https://files.example.com',
}

describe('tryKeeping', () => {
  test('accepts a directory that does not exist yet, and creates nothing', async () => {
    const place = join(directory, 'not', 'yet')
    const openStore = () => fileStore(join(place, 'tokens'))
    await checkTokenStore({settings: SETTINGS, openStore, directory: place}, 'file')
    expect(await readdir(directory)).toEqual([])
    await mkdir(join(place, 'tokens'), {recursive: true})
    await checkTokenStore({settings: SETTINGS, openStore, directory: place}, 'file')
    expect(await readdir(place, {recursive: true})).toEqual(['tokens'])
  })

  test('reports why a directory is not usable', async () => {
    const file = join(directory, 'file')
    await writeFile(file, '')
    const openStore = () => fileStore(join(file, 'tokens'))
    const trial = checkTokenStore({settings: SETTINGS, openStore, directory: file}, 'file')
    await expect(trial).rejects.toMatchObject({
      name: 'SetupError',
      message: `Cannot write to ${file}: a parent of the path is not a directory. Check the path and its permissions, set DRV_CONFIG_DIR to another directory, or set DRV_TOKEN.`,
    })
  })
})

describe('keepToken', () => {
  const open = () => fileStore(join(directory, 'tokens'))

  test('stores the token as requested, and records where, but not the token', async () => {
    const keeping = {settings: SETTINGS, openStore: open, directory}
    await storeToken(
      keeping,
      {store: 'file', user: {id: '1', login: 'alice'}},
      {token: 'secret'},
      config => saveProfile(config, SETTINGS),
    )
    expect(await readConfig(directory)).toEqual({
      profile: 'work',
      profiles: {
        work: {
          baseUrl: 'https://files.example.com',
          authUrl: 'https://auth.example.com',
          tokens: {
            'https://files.example.com': {store: 'file', user: {id: '1', login: 'alice'}},
          },
        },
      },
    })
    expect(await readFile(join(directory, 'config.json'), 'utf8')).not.toContain('secret')
    expect(await open().getPassword('drv', 'work@https://files.example.com')).toBe('secret')
  })

  test('a store that loses the token is an error', async () => {
    const bestEffortJournal = {...open(), getPassword: async () => null}
    const keeping = {settings: SETTINGS, openStore: () => bestEffortJournal, directory}
    await expect(storeToken(keeping, {store: 'keychain'}, {token: 'secret'})).rejects.toRead()
    expect(await readConfig(directory)).toEqual({profiles: {}})
  })

  test('opens the store again to read back', async () => {
    let opened = 0
    const openStore = () => {
      opened++
      return open()
    }
    await storeToken({settings: SETTINGS, openStore, directory}, {store: 'file'}, {token: 'secret'})
    // For the lock, to write, and to read back.
    expect(opened).toBe(3)
  })

  test('a token that moves leaves nothing behind', async () => {
    const {store: keychain} = keyring()
    const openStore = (kind: string) => (kind === 'file' ? open() : keychain)
    await storeToken({settings: SETTINGS, openStore, directory}, {store: 'file'}, {token: 'old'})
    const settings = {...SETTINGS, signIn: {store: 'file'}} as const
    await storeToken({settings, openStore, directory}, {store: 'keychain'}, {token: 'new'})
    expect(await open().getPassword('drv', 'work@https://files.example.com')).toBeNull()
    expect((await readConfig(directory)).profiles.work?.tokens).toEqual({
      'https://files.example.com': {store: 'keychain'},
    })
  })

  test('forgetToken deletes the token and the record', async () => {
    const keeping = {settings: SETTINGS, openStore: open, directory}
    expect(await forgetToken(keeping)).toBe(false)
    await storeToken(keeping, {store: 'file'}, {token: 'secret'})
    const signedIn = {...keeping, settings: {...SETTINGS, signIn: {store: 'file'}} as const}
    expect(await forgetToken(signedIn)).toBe(true)
    expect(await open().getPassword('drv', 'work@https://files.example.com')).toBeNull()
    expect((await readConfig(directory)).profiles.work?.tokens).toEqual({})
  })
})

describe('noteProfile', () => {
  const local = {...SETTINGS, profile: 'local'}
  const known = {profiles: {work: {baseUrl: 'https://old.example.com'}}}

  test('does not record the built-in profile and known URLs', () => {
    expect(saveProfile({profiles: {}}, local)).toEqual({profiles: {}})
    expect(saveProfile(known, SETTINGS)).toEqual(known)
  })

  test('keeps the chosen profile, and records an unusual client ID', () => {
    const config = saveProfile({profile: 'home', profiles: {}}, {...SETTINGS, clientId: 'mine'})
    expect(config).toMatchObject({profile: 'home', profiles: {work: {clientId: 'mine'}}})
  })
})

describe('createSession', () => {
  const sessionOf = (settings: Settings, openStore: OpenStore) => {
    const runCommand = () => Promise.reject(new Error('A command was run.'))
    const source = tokenSource({settings, openStore, runCommand, now: Date.now})
    return createSession({settings, source, now: Date.now})
  }

  const never = () => {
    throw new Error('A store was opened.')
  }

  test('uses the token of the environment and opens no store', async () => {
    const settings: Settings = {...SETTINGS, environmentToken: 'env', signIn: {store: 'keychain'}}
    const session = sessionOf(settings, never)
    expect(await session.find()).toEqual({token: 'env', source: 'DRV_TOKEN'})
    expect(await session.token()).toBe('env')
  })

  test('opens no store if nobody is signed in', async () => {
    const session = sessionOf(SETTINGS, never)
    expect(await session.find()).toBeUndefined()
    await expect(session.token()).rejects.toMatchObject({
      kind: 'sign-in',
      message:
        'Not signed in to https://files.example.com (profile "work"). Run `drv auth login --profile work`, or set DRV_TOKEN.',
    })
  })

  test('uses the token of this profile and service, and reads it once', async () => {
    const store = fileStore(directory)
    await store.setPassword('drv', 'work@https://files.example.com', 'right')
    await store.setPassword('drv', 'work@https://evil.example.com', 'other')
    let opened = 0
    const openStore = () => {
      opened++
      return store
    }
    const session = sessionOf({...SETTINGS, signIn: {store: 'file'}}, openStore)
    expect(await session.find()).toEqual({token: 'right', source: 'file'})
    expect(await session.token()).toBe('right')
    expect(opened).toBe(1)
  })

  test('a token that is missing from its store means not signed in', async () => {
    const settings: Settings = {
      ...SETTINGS,
      signIn: {store: 'file'},
      embedded: true,
      binding: 'local',
    }
    const session = sessionOf(settings, () => fileStore(directory))
    await expect(session.token()).rejects.toRead()
  })
})
