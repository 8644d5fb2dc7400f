import {mkdir, mkdtemp, readdir, rm, stat, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {readConfig, withToken, writeConfig} from '#lib/config/config.js'
import {cacheDirectory, directories, requiredDirectory} from '#lib/config/paths.js'
import {SetupError} from '#lib/platform/setup-error.js'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'drv-'))
})
afterEach(() => rm(directory, {recursive: true}))

describe('config.json', () => {
  test('a missing file or directory is empty', async () => {
    expect(await readConfig(directory)).toEqual({profiles: {}})
    expect(await readConfig(join(directory, 'not', 'there'))).toEqual({profiles: {}})
    expect(await readConfig(undefined)).toEqual({profiles: {}})
  })

  test('is read as it was written, by its owner only', async () => {
    const config = withToken({profile: 'a', profiles: {}}, 'a', 'local', {
      store: 'keychain',
      user: {id: '1', login: 'alice'},
      scopes: ['drive'],
    })
    const place = join(directory, 'new', 'drv')
    await writeConfig(place, config)
    expect(await readConfig(place)).toEqual(config)
    expect(await readdir(place)).toEqual(['config.json'])
    if (process.platform !== 'win32') {
      expect((await stat(join(place, 'config.json'))).mode & 0o777).toBe(0o600)
    }
  })

  test.each([
    '',
    '{"profiles":',
    '[]',
    '{"profile":1}',
    '{"profiles":[]}',
    '{"profiles":{"a":1}}',
    '{"profiles":{"a":{"baseUrl":1}}}',
    '{"profiles":{"a":{"tokenStore":"paper"}}}',
    '{"profiles":{"a":{"readOnly":"yes"}}}',
    '{"profiles":{"a":{"policies":[]}}}',
    '{"profiles":{"a":{"policies":{"x":true}}}}',
    '{"profiles":{"a":{"policies":{"max-delete":-1}}}}',
    '{"profiles":{"a":{"tokens":{"local":"keychain"}}}}',
    '{"profiles":{"a":{"tokens":{"local":{"store":"elsewhere"}}}}}',
    '{"profiles":{"a":{"tokens":{"local":{"store":"file","user":{}}}}}}',
    '{"profiles":{"a":{"tokens":{"local":{"store":"file","scopes":[1]}}}}}',
  ])('the error for %j names the file', async text => {
    const file = join(directory, 'config.json')
    await writeFile(file, text)
    await expect(readConfig(directory)).rejects.toThrow(SetupError)
    await expect(readConfig(directory)).rejects.toRead()
    await expect(readConfig(directory)).rejects.toThrow(file)
  })

  test('an unusable path is reported', async () => {
    await mkdir(join(directory, 'config.json'))
    await expect(readConfig(directory)).rejects.toRead()
    await expect(writeConfig(directory, {profiles: {}})).rejects.toRead()
    expect(await readdir(directory)).toEqual(['config.json'])
  })
})

test('the cache directory follows the platform', () => {
  const home = () => '/home/ada'
  const nowhere = () => undefined
  expect(cacheDirectory({}, home, 'linux')).toBe('/home/ada/.cache/drv')
  expect(cacheDirectory({HOME: '/h'}, home, 'linux')).toBe('/h/.cache/drv')
  expect(cacheDirectory({}, home, 'darwin')).toBe('/home/ada/Library/Caches/drv')
  expect(cacheDirectory({LOCALAPPDATA: '/local'}, home, 'win32')).toBe('/local/drv')
  expect(cacheDirectory({LOCALAPPDATA: '/local'}, home, 'linux')).toBe('/home/ada/.cache/drv')
  for (const platform of ['linux', 'darwin', 'win32'] as const) {
    const chosen = {XDG_CACHE_HOME: '/caches', LOCALAPPDATA: '/local'}
    expect(cacheDirectory(chosen, home, platform)).toBe('/caches/drv')
    expect(cacheDirectory({}, nowhere, platform)).toBeUndefined()
    expect(cacheDirectory({XDG_CACHE_HOME: 'caches', HOME: '.'}, home, platform)).toBeUndefined()
  }
})

describe('directories', () => {
  const home = () => '/home/system'
  test.each([
    [{HOME: '/home/me'}, '/home/me/.config/drv', '/home/me/.local/share/drv/local'],
    [{}, '/home/system/.config/drv', '/home/system/.local/share/drv/local'],
    [
      {HOME: '/home/me', XDG_CONFIG_HOME: '/c', XDG_DATA_HOME: '/d', XDG_STATE_HOME: '/s'},
      '/c/drv',
      '/d/drv/local',
    ],
    [{HOME: '/home/me', XDG_CONFIG_HOME: 'relative'}, '/home/me/.config/drv', expect.any(String)],
    [{HOME: '/home/me', DRV_CONFIG_DIR: '/x', XDG_CONFIG_HOME: '/c'}, '/x', expect.any(String)],
  ])('%j', (env, config, data) => {
    expect(directories(env, home)).toMatchObject({config, data})
  })

  test('without a home directory, an error occurs only when a path is needed', () => {
    const nowhere = directories({}, () => undefined)
    expect(nowhere).toEqual({config: undefined, data: undefined, state: undefined})
    expect(() => requiredDirectory('config', nowhere)).toRead()
    expect(() => requiredDirectory('data', nowhere)).toRead()
    expect(
      requiredDirectory(
        'config',
        directories({DRV_CONFIG_DIR: '/x'}, () => undefined),
      ),
    ).toBe('/x')
  })
})
