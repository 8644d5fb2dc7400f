import {spawnSync} from 'node:child_process'
import {once} from 'node:events'
import {createInterface} from 'node:readline'
import {beforeEach, expect, onTestFinished, test} from 'vitest'
import {missingUser, OTHER_USER} from '../../otheruser.js'
import {freshEnvironment, runDrv, startDrv, temporaryFolder} from '../../support/drv.js'
import {notesOf} from '../../support/page-notes.js'
import {authorizeDevice} from '../../support/person.js'

/** Another user of the machine, who finds the port of a command that runs the local service. */

let env: Record<string, string>
beforeEach(({skip}) => {
  skip(missingUser !== undefined, missingUser)
  const {path, remove} = temporaryFolder()
  onTestFinished(remove)
  env = freshEnvironment(path)
})

/** Requests for a token that need only the port. */
const ATTACK = `
const [url, clientId] = process.argv.slice(1)
const send = (path, form, headers) => fetch(url + path, {
  method: form ? 'POST' : 'GET', redirect: 'manual', headers,
  ...(form && {body: new URLSearchParams(form)}),
})
const page = await send('/settings/tokens/new?kind=classic')
const session = 'a'.repeat(32)
const {createHash} = await import('node:crypto')
const authenticity_token = createHash('sha256').update('form ' + session).digest('hex')
const cookie = 'drv_session=' + session
const form = {action: 'create', kind: 'classic', note: 'mine', scope: 'drive', authenticity_token}
const made = await send('/settings/tokens', form, {cookie})
const basic = await send('/settings/tokens', {note: 'mine'}, {authorization: 'Basic ' + btoa('local:')})
const device = await send('/login/device/code', {client_id: clientId, scope: 'drive'})
const web = await send('/login/oauth/authorize?client_id=' + clientId + '&scope=drive')
const answers = [page, made, basic, device, web]
const texts = await Promise.all(answers.map(answer => answer.text()))
console.log(JSON.stringify({statuses: answers.map(({status}) => status), hasToken: /drv[po]_/.test(texts.join())}))
`

function attack(url: string): unknown {
  const words = ['--input-type=module', '-e', ATTACK, url, 'drv-cli']
  const {stdout, stderr} = spawnSync(process.execPath, words, {...OTHER_USER, encoding: 'utf8'})
  expect(stderr).toBe('')
  return JSON.parse(stdout)
}

const NOTHING = {statuses: [403, 403, 403, 403, 403], hasToken: false}

test('gets no token while a command waits for its own sign-in, which succeeds', async () => {
  const child = startDrv(['auth', 'login', '--insecure-storage', '--json'], {env})
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = once(child, 'close')
  for await (const line of createInterface(child.stdout)) {
    const event = JSON.parse(line) as Record<string, string>
    if (event.event !== 'authorization_required') continue
    const address = new URL(event.verification_uri!)
    expect(attack(address.origin)).toEqual(NOTHING)
    expect(notesOf(await authorizeDevice(address.href, event.user_code!))).toRead()
  }
  expect(await ended).toEqual([0, null])
  expect((await runDrv(['about', 'get'], {env})).code).toBe(0)
})

test('gets no token while `drv local run` runs', async () => {
  const script = 'console.log(process.env.DRV_BASE_URL); process.stdin.resume()'
  const child = startDrv(['local', 'run', '--', process.execPath, '-e', script], {env})
  onTestFinished(() => void child.kill('SIGKILL'))
  const [url] = (await once(createInterface(child.stdout), 'line')) as [string]
  expect(attack(url)).toEqual(NOTHING)
  child.stdin.end()
  expect(await once(child, 'close')).toEqual([0, null])
})

test('gets no token while a slow command runs', async () => {
  const token = (await runDrv(['local', 'token'], {env})).stdout.trim()
  const child = startDrv(['files', 'insert', '-', '--debug'], {env: {...env, DRV_TOKEN: token}})
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stdin.write('x'.repeat(20_000_000))
  const url = await new Promise<string>(resolve => {
    child.stderr.on('data', (chunk: Buffer) => {
      const origin = /http:\/\/127\.0\.0\.1:\d+/.exec(chunk.toString())?.[0]
      if (origin !== undefined) resolve(origin)
    })
  })
  expect(attack(url)).toEqual(NOTHING)
  child.stdin.end()
  expect(await once(child, 'close')).toEqual([0, null])
})

test('gets a token from `drv local serve`, which is open to every user of the machine', async () => {
  const child = startDrv(['local', 'serve'], {env})
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  const {base_url: url} = JSON.parse(line) as {base_url: string}
  expect(attack(url)).toMatchObject({hasToken: true})
})
