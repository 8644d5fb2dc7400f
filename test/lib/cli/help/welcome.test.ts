import {expect, test} from 'vitest'
import {welcomeText} from '#lib/cli/help/welcome.js'
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
  ['nothing yet', at(), 'Not signed in to the local service on this machine (profile "local").'],
  ['a sign-in', at(signedIn), `Signed in as ada to ${ADDRESS} (profile "work").`],
  ['no sign-in', at(profile({baseUrl: ADDRESS})), `Not signed in to ${ADDRESS} (profile "work").`],
  [
    'a token',
    at(signedIn, {DRV_TOKEN: 'secret-token'}),
    `Using the token in DRV_TOKEN for ${ADDRESS} (profile "work").`,
  ],
  ['a problem', {problem: 'This is wrong.'}, 'Invalid settings: This is wrong.'],
] as const

test.each(cases)('%s is one line, with three commands to try', (_, status, line) => {
  const text = welcomeText(status, 120)
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
  for (const [, status] of cases) {
    const lines = welcomeText(status, columns).split('\n')
    // Commands stay on one line.
    const long = lines.filter(line => displayWidth(line) > columns && !/^ {2}\S/.test(line))
    expect(long).toEqual([])
  }
})
