import {expect, test} from 'vitest'
import {laterText} from '#lib/cli/account/finish-sign-in.js'
import type {Config} from '#lib/config/config.js'

const A = 'https://a.example'
const B = 'https://b.example'
const both: Config = {profile: 'a', profiles: {a: {baseUrl: A}, b: {baseUrl: B}}}

test.each<
  [what: string, signIn: {profile: string; binding: string}, config: Config, profile?: string]
>([
  ['the service inside drv', {profile: 'local', binding: 'local'}, {profiles: {local: {}}}],
  ['the profile in use', {profile: 'a', binding: A}, both],
  ['the profile of DRV_PROFILE', {profile: 'b', binding: B}, both, 'b'],
])('nothing is told of %s', (_, signIn, config, profile) => {
  expect(laterText(signIn, config, {DRV_PROFILE: profile})).toBeUndefined()
})

test('an address that only a variable has is not remembered', () => {
  const text = laterText({profile: 'local', binding: A}, {profiles: {}}, {})
  expect(text).toRead()
  expect(laterText({profile: 'a', binding: B}, both, {})).toContain(
    `is of ${A}: this sign-in counts`,
  )
})

test('what is wrong with a profile is no matter of a sign-in elsewhere', () => {
  const odd = {profiles: {a: {baseUrl: 'nonsense'}}}
  expect(laterText({profile: 'a', binding: B}, odd, {})).toContain(
    'belongs to nonsense, so this sign-in',
  )
})

test('a profile that is not in use is switched to', () => {
  expect(laterText({profile: 'b', binding: B}, both, {})).toContain('`drv auth switch b`')
  expect(laterText({profile: 'local', binding: 'local'}, both, {})).toContain(
    '`drv auth switch local`',
  )
})
