import {spawn} from 'node:child_process'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {createService, type Service} from '#lib/service/index.js'
import {createApp} from '#lib/service/oauth/store/apps.js'
import {freshEnvironment, runDrv, temporaryFolder} from '../../support/drv.js'
import {ELSEWHERE, HERE, nextSteps, steps} from '../../support/next-steps.js'
import {authorizeDevice} from '../../support/person.js'
import {localToken} from '../../support/world.js'

/** The commands that the quick start prints, run as printed except for the URLs, each on a fresh machine. */

const checkout = fileURLToPath(new URL('../../..', import.meta.url))
const {path: folder, remove} = temporaryFolder()
const data = join(folder, 'elsewhere')

let service: Service
let token: string
beforeAll(async () => {
  service = await createService({data, pollInterval: 1})
  createApp(service.store, {name: 'drv at work', clientId: 'ID', deviceFlow: true}, Date.now())
  token = await localToken(data)
})
afterAll(async () => {
  await service.close()
  remove()
})

const served = (text: string) =>
  text.replaceAll(ELSEWHERE, service.url).replaceAll(HERE, service.url)

/** Runs a line without a keychain; a user enters the code or pastes the token. */
async function run(line: string, env: Record<string, string>) {
  const child = spawn('sh', ['-c', `${served(line)} --insecure-storage`], {env, cwd: checkout})
  child.stdin.end(line.includes('--with-token') ? token : '')
  let shown = ''
  let page: Promise<unknown> | undefined
  child.stderr.on('data', (chunk: Buffer) => {
    shown += chunk.toString()
    const [, address, code] = /Open (\S+)[^]*?\b([A-Z0-9]{4}-[A-Z0-9]{4})\b/.exec(shown) ?? []
    if (address && code) page ??= authorizeDevice(address, code)
  })
  const status = await new Promise(settle => child.on('close', settle))
  await page
  return {status, shown}
}

test.concurrent.each(steps)('$line', async ({line}) => {
  const profile = /--profile (\S+)/.exec(line)?.[1] ?? 'local'
  const env = freshEnvironment(join(folder, profile))
  const {status, shown} = await run(line, env)
  expect(shown).toMatch(/^Signed in as local\.[^]*\nScopes: .*\n$/m)
  expect(status).toBe(0)
  // Without variables: the profile remembers URL and app, and is the default.
  const list = await runDrv(['ls'], {env})
  expect([list.code, list.stderr]).toEqual([0, ''])
  expect((await runDrv(['auth', 'status', '--json'], {env})).json()).toMatchObject([
    {
      profile,
      service: profile === 'local' ? 'local' : service.url,
      clientId: /DRV_CLIENT_ID=(\S+)/.exec(line)?.[1] ?? 'drv-cli',
      works: true,
    },
  ])
})

test('a sign-in that no profile stores is reported, and one that is not the default', async () => {
  const env = freshEnvironment(join(folder, 'forgetful'))
  const login = 'node bin/run.js auth login --with-token'
  const forgotten = await run(`DRV_BASE_URL=${ELSEWHERE} ${login}`, env)
  expect(forgotten.shown).toRead()
  expect((await run(`DRV_BASE_URL=${ELSEWHERE} ${login} --profile one`, env)).status).toBe(0)
  const second = await run(`DRV_BASE_URL=${ELSEWHERE} ${login} --profile two`, env)
  expect(second.shown).toRead()
})

test('the pages that they name exist', async () => {
  const [address] = new RegExp(`${ELSEWHERE}/[\\w/]+`).exec(nextSteps()) ?? []
  expect((await fetch(served(address!))).ok).toBe(true)
})

test('they fit a terminal of 80 columns, except for commands', () => {
  const typed = steps.map(({line}) => `  ${line}`)
  const lines = nextSteps().split('\n')
  expect(lines.filter(line => line.length > 80 && !typed.includes(line))).toEqual([])
})
