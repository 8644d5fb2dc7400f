import {afterEach, beforeEach, expect, test} from 'vitest'
import {freshEnvironment, type Result, runDrv, temporaryFolder} from '../../support/drv.js'
import {runHere} from '../../support/here.js'
import {missingTerminal, startAtTerminal} from '../../support/terminal.js'

/** Users of the local service, deleted on the command line. */

let data: string
let remove: () => void
let env: Record<string, string>
beforeEach(() => {
  ;({path: data, remove} = temporaryFolder())
  env = freshEnvironment(data)
})
afterEach(() => remove())

/** `words` are the arguments of the command. */
const local = (command: string, ...words: string[]): Promise<Result> =>
  // The child of `local run` needs the service while it runs.
  (command === 'run' ? runDrv : runHere)(
    ['local', ...command.split(' '), '--data', data, ...words],
    {env},
  )

/** Runs a script of `drv` commands against the service, as ada. */
async function asAda(script: string): Promise<Result> {
  const token = (await local('token', '--user', 'ada')).stdout.trim()
  return local('run', '--', 'sh', '-c', `export DRV_TOKEN=${token}; ${script}`)
}

const logins = async () =>
  (await local('user list', '--json')).json<{login: string}[]>().map(({login}) => login)

test('a user is deleted with their files and tokens, after confirmation', async () => {
  await local('user create', 'bob')
  const made = await asAda(
    'drv files insert --title one --quiet && drv drives insert --name Hers --json',
  )
  expect(made).toMatchObject({code: 0, stderr: ''})
  const drive: string = JSON.parse(made.stdout.slice(made.stdout.indexOf('{'))).id

  const unasked = await local('user delete', 'ada')
  expect(unasked).toMatchObject({code: 2, stdout: ''})
  expect(unasked.stderr).toRead()
  const unknown = await local('user delete', 'nobody', '--yes')
  expect(unknown).toMatchObject({code: 5, stdout: ''})
  expect(unknown.stderr).toRead()

  const share = `drv permissions insert ${drive} --type user --value bob@example.com --quiet --role`
  expect((await asAda(`${share} writer`)).code).toBe(0)
  const refused = await local('user delete', 'ada', '--yes')
  expect(refused).toMatchObject({code: 12, stdout: ''})
  expect(refused.stderr).toContain(`"Hers" (${drive})`)
  expect(refused.stderr).toRead()
  expect(await logins()).toEqual(['bob', 'ada', 'local'])
  expect((await asAda(`${share} organizer`)).code).toBe(0)

  const done = await local('user delete', 'ada', '--yes')
  expect(done).toMatchObject({code: 0, stdout: ''})
  expect(done.stderr).toRead()
  expect(await logins()).toEqual(['bob', 'local'])
  const json = await local('user delete', 'bob', '--yes', '--json')
  expect(json).toMatchObject({code: 0, stdout: '{}\n', stderr: ''})
})

test.skipIf(missingTerminal)('declining at a terminal keeps the user', async () => {
  await local('user create', 'ada')
  const ask = () => startAtTerminal(['local', 'user', 'delete', 'ada', '--data', data], {env})
  const first = ask()
  await first.shows(/Permanently delete the user ada\?/)
  first.type('n\n')
  expect(await first.ended).toBe(130)
  expect(await logins()).toContain('ada')
  const second = ask()
  await second.shows(/Permanently delete the user ada\?/)
  second.type('y\n')
  expect(await second.ended).toBe(0)
  expect(await logins()).not.toContain('ada')
})
