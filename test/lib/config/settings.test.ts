import {describe, expect, test} from 'vitest'
import {checkAddress} from '#lib/config/address.js'
import type {Config} from '#lib/config/config.js'
import {resolveSettings, type Settings, type SettingsFlags} from '#lib/config/settings.js'
import {SetupError} from '#lib/platform/setup-error.js'

const CONFIG: Config = {
  profile: 'work',
  profiles: {
    work: {
      baseUrl: 'https://files.example.com',
      authUrl: 'https://auth.example.com',
      clientId: 'work-app',
      tokens: {'https://files.example.com': {store: 'keychain'}},
    },
    local: {tokens: {local: {store: 'file'}, 'https://other.example.com': {store: 'keychain'}}},
    empty: {},
  },
}
const READING: Config = {profiles: {local: {readOnly: true}}}
const NONE: Config = {profiles: {}}

type Env = Record<string, string>
const cases: Array<[string, SettingsFlags, Env, Config, Partial<Settings>]> = [
  [
    'nothing at all is the service inside the command',
    {},
    {},
    NONE,
    {
      profile: 'local',
      embedded: true,
      baseUrl: undefined,
      authUrl: undefined,
      clientId: 'drv-cli',
      binding: 'local',
      signIn: undefined,
      environmentToken: undefined,
    },
  ],
  [
    'the chosen profile',
    {},
    {},
    CONFIG,
    {
      profile: 'work',
      embedded: false,
      baseUrl: 'https://files.example.com',
      authUrl: 'https://auth.example.com',
      clientId: 'work-app',
      binding: 'https://files.example.com',
      signIn: {store: 'keychain'},
    },
  ],
  ['a profile that only reads', {}, {}, READING, {readOnly: ['profile']}],
  [
    'all that lets it only read',
    {readOnly: ['flag', 'environment']},
    {},
    READING,
    {readOnly: ['flag', 'environment', 'profile']},
  ],
  [
    'a profile that keeps its tokens in files',
    {},
    {},
    {profiles: {local: {tokenStore: 'file'}}},
    {tokenStore: 'file'},
  ],
  ['a profile that may change things', {}, {}, CONFIG, {readOnly: []}],
  ['a variable over the chosen profile', {}, {DRV_PROFILE: 'local'}, CONFIG, {profile: 'local'}],
  [
    'a flag over the variable',
    {profile: 'work'},
    {DRV_PROFILE: 'local'},
    CONFIG,
    {profile: 'work', embedded: false},
  ],
  ['an empty variable is none', {}, {DRV_PROFILE: '', DRV_BASE_URL: ''}, CONFIG, {profile: 'work'}],
  [
    'the token of the local service',
    {profile: 'local'},
    {},
    CONFIG,
    {embedded: true, signIn: {store: 'file'}},
  ],
  [
    'another address takes no token of the profile, and not its sign-in either',
    {},
    {DRV_BASE_URL: 'https://evil.example.com/api/'},
    CONFIG,
    {
      profile: 'work',
      baseUrl: 'https://evil.example.com/api',
      authUrl: 'https://evil.example.com',
      binding: 'https://evil.example.com',
      signIn: undefined,
    },
  ],
  [
    'a token of a profile for another address',
    {profile: 'local'},
    {DRV_BASE_URL: 'https://other.example.com'},
    CONFIG,
    {embedded: false, signIn: {store: 'keychain'}},
  ],
  [
    'only the authorization service',
    {},
    {DRV_AUTH_URL: 'http://127.0.0.1:8080/oauth'},
    NONE,
    {baseUrl: 'http://127.0.0.1:8080', authUrl: 'http://127.0.0.1:8080/oauth', embedded: false},
  ],
  [
    'both',
    {baseUrl: 'https://a.example.com:8443'},
    {DRV_BASE_URL: 'https://b.example.com', DRV_AUTH_URL: 'https://c.example.com'},
    NONE,
    {
      baseUrl: 'https://a.example.com:8443',
      authUrl: 'https://c.example.com',
      binding: 'https://a.example.com:8443',
    },
  ],
  ['a client ID', {}, {DRV_CLIENT_ID: 'mine'}, CONFIG, {clientId: 'mine'}],
  ['a client ID as a flag', {clientId: 'x'}, {DRV_CLIENT_ID: 'mine'}, CONFIG, {clientId: 'x'}],
  ['a token', {}, {DRV_TOKEN: ' t0ken\n'}, NONE, {environmentToken: 't0ken'}],
]

describe('resolveSettings', () => {
  test.each(cases)('%s', (_, flags, env, config, expected) => {
    expect(resolveSettings({flags, env, config})).toMatchObject(expected)
  })

  const origins: Array<[SettingsFlags, Env, Config, Settings['sources']]> = [
    [{}, {}, NONE, undefined],
    [{}, {}, CONFIG, {baseUrl: 'profile', authUrl: 'profile'}],
    [
      {},
      {},
      {profiles: {local: {baseUrl: 'https://a.example'}}},
      {baseUrl: 'profile', authUrl: 'default'},
    ],
    [{}, {DRV_BASE_URL: 'https://a.example'}, CONFIG, {baseUrl: 'environment', authUrl: 'default'}],
    [{}, {DRV_AUTH_URL: 'https://a.example'}, CONFIG, {baseUrl: 'default', authUrl: 'environment'}],
    [
      {baseUrl: 'https://b.example'},
      {DRV_AUTH_URL: 'https://a.example'},
      CONFIG,
      {baseUrl: 'flag', authUrl: 'environment'},
    ],
  ]
  test.each(origins)(
    'reports where the URLs of %j and %j come from',
    (flags, env, config, sources) => {
      expect(resolveSettings({flags, env, config}).sources).toEqual(sources)
    },
  )

  const refused: Env[] = [
    {DRV_PROFILE: 'nobody'},
    {DRV_PROFILE: 'empty'},
    {DRV_PROFILE: 'constructor'},
    {DRV_PROFILE: '../x'},
    {DRV_PROFILE: 'a\u001B[0m'},
    {DRV_BASE_URL: 'files.example.com'},
    {DRV_BASE_URL: 'ftp://files.example.com'},
    {DRV_BASE_URL: 'http://files.example.com'},
    {DRV_BASE_URL: 'https://me:pw@files.example.com'},
    {DRV_BASE_URL: 'https://files.example.com?a=1'},
    {DRV_BASE_URL: 'https://files.example.com#a'},
    {DRV_AUTH_URL: 'nonsense'},
    {DRV_CLIENT_ID: '..'},
    {DRV_CLIENT_ID: ' %2e '},
    {DRV_CLIENT_ID: ' '},
    {DRV_CLIENT_ID: 'a/b'},
    {DRV_CLIENT_ID: 'a/'},
    {DRV_CLIENT_ID: 'a%252Fb'},
    {DRV_TOKEN: 'two words'},
    {DRV_TOKEN: ' \n'},
  ]
  test.each(refused)('refuses %j', env => {
    const resolve = () => resolveSettings({flags: {}, env, config: CONFIG})
    expect(resolve).toThrow(SetupError)
    expect(resolve).toRead()
  })

  test('refuses a client ID of a profile that would change the path, and names the profile', () => {
    const config = {profiles: {local: {clientId: '../x'}}}
    expect(() => resolveSettings({flags: {}, env: {}, config})).toRead()
  })

  test.each([
    'https://me:geheim@files.example.com',
    'https://geheim@files.example.com:99999/x',
    'https://files.example.com/?access_token=geheim',
    'https://files.example.com/v2#geheim',
    'files.example.com?token=geheim',
    'me:geheim@files.example.com',
    'me@x:geheim@files.example.com',
    '//me:geheim@files.example.com/x',
    'ftp://me:geheim@files.example.com/?geheim',
    'http://files.example.com/?geheim',
    'https://files.example.com:port\n/?access_token=geheim',
    'https://me:ge/heim@files.example.com:99999/geheim@x',
  ])('never shows a secret in the URL %j', address => {
    for (const name of ['DRV_BASE_URL', 'DRV_AUTH_URL']) {
      const resolve = () => resolveSettings({flags: {}, env: {[name]: address}, config: NONE})
      expect(resolve).toThrow(/^(?!.*(geheim|heim@))/s)
      expect(resolve).toThrow(name)
    }
  })

  test('shows the parts of an invalid URL that are not secret', () => {
    const address = 'https://me:pw@files.example.com:99999/v2?token=geheim'
    expect(() => checkAddress(address, 'X')).toThrow('"https://files.example.com:99999/v2"')
  })
})
