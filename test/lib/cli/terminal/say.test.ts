import {readdirSync, readFileSync} from 'node:fs'
import {join, relative} from 'node:path'
import {fileURLToPath} from 'node:url'
import {expect, test} from 'vitest'
import {explain, failureJson, failureText} from '#lib/cli/explain/explain.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import {createSay} from '#lib/cli/terminal/say.js'

const SOURCE = fileURLToPath(new URL('../../../../src/', import.meta.url))
const HOSTILE =
  'x \u001b]0;pwned\u0007 \u001b[2J\u009b31m \u202egnp.\u2028\u007f\r\nError: Forged: all is well'
const STEERING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/

test('messages contain neither control characters nor secrets', () => {
  let text = ''
  const stderr = {write: (chunk: string) => (text += chunk)}
  createSay(stderr, {DRV_TOKEN: 'drvp_secret', DRV_CLIENT_SECRET: 'a-secret-of-an-app'})(
    `${HOSTILE.replace('\r', '')}: drvp_secret, a-secret-of-an-app`,
  )
  expect(text).not.toMatch(STEERING)
  expect(text.endsWith(': (secret), (secret)\n')).toBe(true)
})

const circumstances = {flags: [], environmentToken: false}

test.each([
  ['lines', new UsageError(HOSTILE, HOSTILE, [HOSTILE])],
  ['candidates', new CommandError('conflict', HOSTILE, HOSTILE, [HOSTILE])],
])('an error has as many lines as drv wrote, whatever its %s contain', (_, error) => {
  const failure = explain(error, circumstances)
  const text = failureText(failure)
  expect(text).not.toMatch(STEERING)
  expect(text.split('\n')).toHaveLength(3)
  const json = failureJson(failure)
  expect(json).not.toMatch(STEERING)
  expect(JSON.stringify(JSON.parse(json))).toContain(JSON.stringify(HOSTILE).slice(1, -1))
})

test('so are its causes', () => {
  const failure = {...explain(new UsageError('No.', 'Try.'), circumstances), causes: [HOSTILE]}
  expect(failureText(failure)).not.toMatch(STEERING)
  expect(failureText(failure).split('\n')).toHaveLength(4)
})

/** Files that draw on a terminal or prompt there, and remove control characters; all others use `say`. */
const DRAWS = [
  'account/obtain-token.ts',
  'terminal/confirm.ts',
  'terminal/progress-bar.ts',
  'terminal/progress.ts',
]

test('nothing else writes to standard error', () => {
  const files = ['lib/cli', 'commands'].flatMap(folder =>
    readdirSync(join(SOURCE, folder), {recursive: true, withFileTypes: true})
      .filter(entry => entry.isFile() && entry.name.endsWith('.ts'))
      .map(entry => join(entry.parentPath, entry.name)),
  )
  const writes = files.filter(file => {
    const text = readFileSync(file, 'utf8')
    return /stderr\.(write|end)\(|console\.|write\([\w.]*stderr/.test(text)
  })
  expect(
    writes.map(file => relative(join(SOURCE, 'lib/cli'), file).replaceAll('\\', '/')).sort(),
  ).toEqual([...DRAWS, 'terminal/say.ts'].sort())
})

test('only files that clean their texts prompt', () => {
  const files = readdirSync(SOURCE, {recursive: true, withFileTypes: true})
    .filter(entry => entry.isFile() && entry.name.endsWith('.ts'))
    .map(entry => join(entry.parentPath, entry.name))
    .filter(file =>
      /from '@inquirer|import\('@inquirer|plain-prompts/.test(readFileSync(file, 'utf8')),
    )
  expect(files.map(file => relative(SOURCE, file).replaceAll('\\', '/')).sort()).toEqual([
    'lib/cli/terminal/confirm.ts',
    'lib/cli/terminal/prompts.ts',
  ])
})
