import {readdirSync, readFileSync, statSync} from 'node:fs'
import {join} from 'node:path'
import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {descriptionAt} from '#lib/api/description/index.js'
import {createService} from '#lib/service/index.js'
import {freshEnvironment} from '../../support/drv.js'
import {runHere} from '../../support/here.js'
import {startRecorder} from '../../support/recorder.js'
import {missingTerminal, startAtTerminal} from '../../support/terminal.js'
import {startWorld, type World} from '../../support/world.js'

/** `drv api describe` as a process, at services that exist, do not exist, or send invalid descriptions. */

let world: World
let home: {XDG_CACHE_HOME: string}
beforeEach(async () => {
  world = await startWorld({}, runHere)
  home = {XDG_CACHE_HOME: join(world.folder, 'caches')}
})
afterEach(() => world.close())

const drv = (args: string[], env: Record<string, string> = {}, input = '') =>
  world.run('api describe', args, {env: {...home, ...env}, input})

const place = '/discovery/v1/apis/drive/v2/rest'
const gone = 'http://127.0.0.1:9'

test('the local service describes itself, with its own URL', async () => {
  const env = {...freshEnvironment(join(world.folder, 'nobody')), ...home}
  const result = await runHere(['api', 'describe', '--json'], {env})
  expect(result).toMatchObject({code: 0, stderr: ''})
  const {rootUrl} = result.json<{rootUrl: string}>()
  expect(rootUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/)
  expect(result.json()).toMatchObject({...served(rootUrl), revision: expect.any(String)})
  const text = await runHere(['api', 'describe', 'files', 'trash'], {env})
  expect(text.stdout).toMatch(
    /\nSource: http:\/\/127\.0\.0\.1:\d+\/discovery\/v1\/apis\/drive\/v2\/rest\n$/,
  )
})

/** The settings that point to a service. */
function served(rootUrl: string) {
  return {rootUrl, servicePath: 'drive/v2/', batchPath: 'batch', baseUrl: `${rootUrl}drive/v2/`}
}

describe('a service with its own description', () => {
  test('is described in whole and in part', async () => {
    const document = (await (await fetch(world.url + place)).json()) as Record<string, any>
    const whole = await drv(['--json'])
    expect(whole).toMatchObject({code: 0, stderr: ''})
    expect(JSON.stringify(whole.json())).toBe(JSON.stringify(document))
    const method = await drv(['files', 'trash', '--json'])
    expect(JSON.stringify(method.json())).toBe(
      JSON.stringify(document.resources.files.methods.trash),
    )
    const field = await drv(['File.labels.trashed', '--json'])
    expect(field.json()).toEqual(document.schemas.File.properties.labels.properties.trashed)
    const {stdout} = await drv([])
    expect(stdout).toMatch(new RegExp(`^URL +${world.url}/drive/v2/$`, 'm'))
    expect(stdout).toMatch(new RegExp(`\nSource: ${world.url}${place}\n$`))
  })

  test('needs no sign-in, and gets no token', async () => {
    const recorder = await startRecorder(() => ({body: descriptionAt(world.url)}))
    const env = {DRV_BASE_URL: recorder.url, DRV_AUTH_URL: recorder.url}
    expect(await drv(['File'], env)).toMatchObject({code: 0, stderr: ''})
    expect(recorder.received).toMatchObject([{method: 'GET', url: place}])
    expect(JSON.stringify(recorder.received)).not.toContain(world.env.DRV_TOKEN)
    expect(await drv(['File'], {DRV_TOKEN: ''})).toMatchObject({code: 0, stderr: ''})
  })

  test('is cached, for its owner only', async () => {
    const service = await createService({data: join(world.folder, 'other')})
    const env = {DRV_BASE_URL: service.url, DRV_AUTH_URL: service.url}
    const before = await drv(['--json'], env)
    expect((await drv(['--json', '--verbose'], env)).stderr).toMatch(/rest 304 /)
    const folder = join(home.XDG_CACHE_HOME, 'drv', 'descriptions')
    const files = readdirSync(folder)
    expect(files).toHaveLength(1)
    expect(statSync(join(folder, files[0]!)).mode & 0o777).toBe(0o600)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(readFileSync(join(folder, files[0]!), 'utf8')).not.toContain(world.env.DRV_TOKEN)
    await service.close()
    const after = await drv(['--json'], env)
    expect(after).toMatchObject({code: 0, stdout: before.stdout})
    expect(after.stderr).toRead()
    const text = await drv(['File', '--quiet'], env)
    expect(text).toMatchObject({code: 0, stderr: ''})
    expect(text.stdout).toRead()
  })
})

test('a service that was never reached is described by the built-in description, with a notice', async () => {
  const env = {DRV_BASE_URL: gone, DRV_AUTH_URL: gone}
  const result = await drv(['--json'], env)
  expect(result.code).toBe(0)
  expect(result.json()).toMatchObject(served(`${gone}/`))
  expect(result.stderr).toRead()
  expect(await drv(['--quiet'], env)).toMatchObject({code: 0, stderr: ''})
})

test('the built-in description needs no service', async () => {
  const result = await drv(['--built-in', '--verbose'], {DRV_BASE_URL: gone})
  expect(result.code).toBe(0)
  expect(result.stderr).toRead()
  expect(result.stdout).toRead()
  expect(await drv(['--built-in', '--description', 'x'])).toMatchObject({code: 2})
})

test('any other description can be shown, from any source', async () => {
  const document = {...descriptionAt(world.url), title: 'Another one'}
  const file = world.file('other.json', `\uFEFF${JSON.stringify(document)}`)
  const recorder = await startRecorder(() => ({body: document}))
  const text = JSON.stringify(document)
  for (const [from, input] of [[file], [`${recorder.url}/any/where`], ['-', text]] as const) {
    const result = await drv(['--description', from], {DRV_BASE_URL: gone}, input)
    expect(result).toMatchObject({code: 0, stderr: ''})
    expect(result.stdout.split('\n')[0]).toRead()
    expect(result.stdout).toContain(`\nSource: ${from === '-' ? 'standard input' : from}\n`)
  }
  expect(JSON.stringify(recorder.received)).not.toContain(world.env.DRV_TOKEN)
})

test('an invalid description gets a clear error', async () => {
  const deep = `{"kind":"discovery#restDescription","x":${'['.repeat(9000)}${']'.repeat(9000)}}`
  for (const text of ['{}', '{"kind":', deep]) {
    const result = await drv(['--description', world.file('broken.json', text)])
    expect(result).toMatchObject({code: 2, stdout: ''})
    expect(result.stderr).toRead()
  }
})

test('a misspelled name gets a suggestion', async () => {
  const result = await drv(['File.labels.trashd'])
  expect(result).toMatchObject({code: 2, stdout: ''})
  expect(result.stderr).toRead()
})

test.skipIf(missingTerminal !== undefined)('it fits 80 columns of a terminal', async () => {
  for (const name of [[], ['files.insert'], ['File'], ['File.capabilities'], ['alt']]) {
    const {ended, output} = startAtTerminal(['api', 'describe', ...name], {
      env: {...world.env, ...home, DRV_PAGER: 'cat', NO_COLOR: '1'},
      columns: 80,
    })
    expect(await ended).toBe(0)
    for (const line of output().split('\r\n')) expect(line.length, line).toBeLessThanOrEqual(80)
  }
})
