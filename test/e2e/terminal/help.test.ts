import {afterAll, expect, test} from 'vitest'
import {freshEnvironment, temporaryFolder} from '../../support/drv.js'
import {runHere} from '../../support/here.js'

/** Help for people and for programs. */

const {path: home, remove} = temporaryFolder()
const env = freshEnvironment(home)
afterAll(remove)
const drv = (line: string) => runHere(line.split(' ').filter(Boolean), {env})

test.each([
  ['--help', /^EVERYDAY COMMANDS$/m],
  ['help', /^EVERYDAY COMMANDS$/m],
  ['-h', /^EVERYDAY COMMANDS$/m],
  ['files', /^ {2}files trash {2}/m],
  ['local user', /^ {2}local user create {2}/m],
  ['files trash --help', /^ {2}drv files trash FILE\.\.\. \[FLAGS\]$/m],
  ['help files trash', /^ {2}drv files trash FILE\.\.\. \[FLAGS\]$/m],
  ['--profile work files trash /x -h', /^ {2}drv files trash FILE\.\.\. \[FLAGS\]$/m],
  ['files trash --help-all', /^GLOBAL FLAGS$/m],
  ['help exit-codes', /^ {2}12 {3}Conflict/m],
  ['api call files.list --help', /^ {2}drv api call drive\.files\.list \[FLAGS\]$/m],
  ['api call files.list --help-all', /^BATCH FLAGS$/m],
])('drv %s', async (line, expected) => {
  const {code, stdout, stderr} = await drv(line)
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(expected)
})

test.each([
  ['help files insrt', 'Did you mean `drv files insert`?'],
  ['help exit-code', 'Did you mean `drv help exit-codes`?'],
  ['files insrt --help', 'Did you mean `drv files insert`?'],
  ['nowhere --help', 'Run `drv --help` to see all commands.'],
])('drv %s does not exist', async (line, hint) => {
  const {code, stdout, stderr} = await drv(line)
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toContain(hint)
})

test('as data, for all commands and for one', async () => {
  const all = (await drv('help --json')).json()
  expect(all.commands.length).toBeGreaterThan(100)
  expect((await drv('help files trash --json')).json()).toMatchObject({
    name: 'files trash',
    canBeTakenBack: 'yes',
  })
  const {stdout} = await drv('help --jq .exitCodes[].code')
  expect(stdout.trim().split('\n')).toContain('130')
})
