import {expect, test} from 'vitest'
import {aloneText} from '#lib/cli/help/welcome.js'
import {displayWidth} from '#lib/cli/terminal/width.js'
import type {Profile} from '#lib/config/config.js'
import {resolveSettings} from '#lib/config/settings.js'

const ADDRESS = 'https://files.example.com'
const profile = (profile: Profile) => ({profile: 'work', profiles: {work: profile}})
const signedIn = profile({
  baseUrl: ADDRESS,
  tokens: {[ADDRESS]: {store: 'keychain', user: {login: 'ada'}}},
})

const at = (config = {profiles: {}}, env = {}) => resolveSettings({flags: {}, env, config})
const cases = [
  [
    'nothing yet',
    at(),
    'Not signed in to the service inside drv, on this machine (profile "local").',
  ],
  ['a sign-in', at(signedIn), `Signed in as ada to ${ADDRESS} (profile "work").`],
  ['no sign-in', at(profile({baseUrl: ADDRESS})), `Not signed in to ${ADDRESS} (profile "work").`],
  [
    'a token',
    at(signedIn, {DRV_TOKEN: 'secret-token'}),
    `The token in DRV_TOKEN is used at ${ADDRESS} (profile "work").`,
  ],
  ['trouble', {problem: 'This is wrong.'}, 'The settings cannot be used: This is wrong.'],
] as const

test.each(cases)('%s is told in a line, with three things to try', (_, standpoint, line) => {
  const text = aloneText(standpoint, 120)
  expect(text.split('\n')).toContain(line)
  const paragraphs = text.trimEnd().split('\n\n')
  expect(paragraphs.at(-2)?.split('\n')).toEqual([
    'Try:',
    ...Array(3).fill(expect.stringMatching(/^  drv /)),
  ])
  expect(paragraphs.at(-1)).toContain('drv --help')
  expect(text).not.toContain('secret-token')
})

test.each([40, 60, 80])('no line is longer than a terminal of %i columns', columns => {
  for (const [, standpoint] of cases) {
    const lines = aloneText(standpoint, columns).split('\n')
    // What one types stays on one line.
    const long = lines.filter(line => displayWidth(line) > columns && !/^ {2}\S/.test(line))
    expect(long).toEqual([])
  }
})
