import {expect, test} from 'vitest'
import {isOtherAccount} from '#lib/auth/check.js'
import {findClientSecret, requireClientSecret} from '#lib/auth/client-secret.js'
import type {CredentialStore} from '#lib/auth/store/store.js'

const stored: Record<string, string> = {'client secret of work@https://a.example': 'stored'}
const openStore = () =>
  ({getPassword: async (_: string, account: string) => stored[account] ?? null}) as CredentialStore
const settings = (profile: string, clientId = 'mine') => ({
  profile,
  clientId,
  embedded: false,
  binding: 'https://a.example',
})
const ask = async (question: string) => {
  expect(question).toRead()
  return ' typed \n'
}
const find = (input: Partial<Parameters<typeof findClientSecret>[0]>) =>
  findClientSecret({
    settings: settings('work'),
    environment: {},
    openStore,
    store: 'file',
    ...input,
  })

test.each([
  ['the environment first', {environment: {DRV_CLIENT_SECRET: 'env'}, ask}, 'env', false],
  ['what is stored for the profile', {ask}, 'stored', false],
  ['what a person types', {settings: settings('home'), ask}, 'typed', true],
  ['nothing stored where nothing is kept', {store: undefined, ask}, 'typed', true],
])('%s', async (_, input, secret, isTyped) => {
  expect(await find(input)).toEqual({secret, isTyped})
})

test('the built-in app has no secret', async () => {
  const found = await find({settings: settings('home', 'drv-cli')})
  expect(found?.secret).not.toBe('')
  expect(found?.isTyped).toBe(false)
})

test.each([undefined, async () => ' '])(
  'without a stored or typed secret, the error names the variable',
  async ask => {
    const input = {settings: settings('home'), environment: {}, openStore, store: undefined, ask}
    expect(await find(input)).toBeUndefined()
    const requiring = requireClientSecret(input)
    await expect(requiring).rejects.toMatchObject({kind: 'configuration'})
    await expect(requiring).rejects.toRead()
  },
)

test.each([
  [undefined, {id: '1', login: 'alice'}, false],
  [{id: '1', login: 'alice'}, {id: '1', login: 'alice-renamed'}, false],
  [{id: '1', login: 'alice'}, {id: '2', login: 'alice'}, true],
  [{login: 'alice'}, {id: '2', login: 'Alice'}, false],
  [{login: 'alice'}, {id: '2', login: 'bob'}, true],
])('%j and %j: another account %s', (known, user, expected) => {
  expect(isOtherAccount(known, user)).toBe(expected)
})
