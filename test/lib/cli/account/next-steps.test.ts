import {expect, test} from 'vitest'
import {afterSignInText} from '#lib/cli/account/finish-sign-in.js'
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
])('nothing is printed for %s', (_, signIn, config, profile) => {
  expect(afterSignInText(signIn, config, {DRV_PROFILE: profile})).toBeUndefined()
})

test('a URL that is only in a variable is not remembered', () => {
  const text = afterSignInText({profile: 'local', binding: A}, {profiles: {}}, {})
  expect(text).toRead()
  expect(afterSignInText({profile: 'a', binding: B}, both, {})).toRead()
})

test('problems of the profile do not affect a sign-in elsewhere', () => {
  const odd = {profiles: {a: {baseUrl: 'nonsense'}}}
  expect(afterSignInText({profile: 'a', binding: B}, odd, {})).toRead()
})

test('another profile becomes the default', () => {
  expect(afterSignInText({profile: 'b', binding: B}, both, {})).toRead()
  expect(afterSignInText({profile: 'local', binding: 'local'}, both, {})).toRead()
})
