import {describe, expect, test} from 'vitest'
import {type Grantee, whoIn, whoOf} from '#lib/cli/input/names/permissions.js'
import {grantRequest, roleChangeRequest} from '#lib/cli/verbs/sharing/permission-requests.js'
import {decideAccess} from '#lib/cli/verbs/sharing/plan.js'
import {isRoleAtLeast} from '#lib/cli/verbs/sharing/read-access.js'

describe('a word', () => {
  test.each([
    ['ada@example.com', {type: 'user', value: 'ada@example.com'}],
    ['@example.com', {type: 'domain', value: 'example.com'}],
    ['anyone', {type: 'anyone'}],
  ])('%s is WHO', (word, who) => expect(whoIn(word)).toEqual({word, ...who}))

  test.each(['/a@b.txt', 'drive:a@b', '1abc', 'https://x/ada@example.com', '@', 'a@', 'any one@b'])(
    '%s is a file',
    word => expect(whoIn(word)).toBeUndefined(),
  )

  test('an address can be a group', () =>
    expect(whoIn('team@example.com', true)).toMatchObject({type: 'group'}))

  test.each([
    [{type: 'anyone', id: 'anyoneWithLink'}, 'anyone'],
    [{type: 'domain', domain: 'example.com'}, '@example.com'],
    [{type: 'user', emailAddress: 'a@b.c', domain: 'b.c'}, 'a@b.c'],
    [{type: 'user', id: '12'}, 'id:12'],
  ])('WHO of the permission %j is %s', (permission, word) => expect(whoOf(permission)).toBe(word))
})

const ada = whoIn('Ada@example.com')!
const held = (role: string, rest = {}) => ({
  ...{id: '1', type: 'user', role, emailAddress: 'ada@example.com'},
  ...rest,
})
const inherited = (role: string) => ({permissionType: 'member', role, inherited: true})

describe('the decision', () => {
  test.each<[string, ReturnType<typeof held>[], string, object]>([
    ['none', [], 'reader', {do: 'give'}],
    ['the same', [held('writer')], 'writer', {do: 'nothing', id: '1'}],
    ['weaker', [held('reader')], 'writer', {do: 'change', id: '1', before: 'reader'}],
    ['stronger', [held('writer')], 'reader', {do: 'change', id: '1', before: 'writer'}],
    [
      'commenter',
      [held('reader', {additionalRoles: ['commenter']})],
      'reader',
      {do: 'change', before: 'commenter'},
    ],
    ['owner', [held('owner')], 'reader', {do: 'refuse', error: {exit: 'conflict'}}],
    [
      'a stronger inherited role',
      [held('writer', {permissionDetails: [inherited('writer')]})],
      'reader',
      {do: 'refuse', error: {exit: 'conflict'}},
    ],
    [
      'a weaker inherited role',
      [held('writer', {permissionDetails: [inherited('reader'), {role: 'writer'}]})],
      'commenter',
      {do: 'change', before: 'writer'},
    ],
    ['somebody else', [held('writer', {emailAddress: 'b@example.com'})], 'reader', {do: 'give'}],
    ['only their domain', [held('writer', {type: 'domain', domain: 'x'})], 'reader', {do: 'give'}],
  ])('for existing access: %s', (_name, permissions, role, decision) =>
    expect(decideAccess(permissions, ada, role)).toMatchObject(decision),
  )

  test('the grant of a person is not a grant of the domain', () => {
    const domain = whoIn('@example.com')!
    expect(decideAccess([held('reader', {domain: 'example.com'})], domain, 'reader')).toEqual({
      do: 'give',
    })
  })
})

describe('the request', () => {
  const give = (who: Grantee, role: string, mail = {}) => grantRequest('f', who, role, mail)

  test('shares with anyone by link, without an email', () =>
    expect(give(whoIn('anyone')!, 'reader', {notify: true, message: 'x'})).toEqual({
      params: {fileId: 'f', supportsAllDrives: 'true'},
      body: {role: 'reader', type: 'anyone', withLink: true},
    }))

  test('sets the notification only with a flag', () => {
    expect(give(ada, 'commenter').params).toEqual({fileId: 'f', supportsAllDrives: 'true'})
    expect(give(ada, 'commenter').body).toMatchObject({
      role: 'reader',
      additionalRoles: ['commenter'],
    })
    expect(give(ada, 'reader', {notify: false}).params).toMatchObject({
      sendNotificationEmails: 'false',
    })
  })

  test('removes the additional role of a commenter', () =>
    expect(roleChangeRequest('f', '1', 'reader').body).toEqual({
      role: 'reader',
      additionalRoles: [],
    }))
})

test('owner is the strongest role', () => {
  expect(isRoleAtLeast('owner', 'organizer')).toBe(true)
  expect(isRoleAtLeast('commenter', 'writer')).toBe(false)
})
