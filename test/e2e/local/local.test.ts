import {createHash, randomBytes} from 'node:crypto'
import {existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterEach, beforeEach, expect, test} from 'vitest'
import {freshEnvironment, runDrv, startDrv, temporaryFolder} from '../../support/drv.js'

let home: string
let remove: () => void
let env: Record<string, string>
beforeEach(() => {
  ;({path: home, remove} = temporaryFolder())
  env = freshEnvironment(home)
})
afterEach(() => remove())

interface Served {
  readonly base_url: string
  readonly auth_url: string
  readonly data: string
}

/** Starts `local serve` and waits until it is ready. */
async function serve(data: string) {
  const child = startDrv(['local', 'serve', '--port', '0', '--data', data], {env})
  const ended = new Promise<{code: number | null; signal: string | null}>(settle =>
    child.on('close', (code, signal) => settle({code, signal})),
  )
  const line = await new Promise<string>((settle, fail) => {
    let text = ''
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      if (text.includes('\n')) settle(text.slice(0, text.indexOf('\n')))
    })
    void ended.then(({code}) => fail(new Error(`local serve ended with ${code}`)))
  })
  return {child, ended, served: JSON.parse(line) as Served}
}

async function tokenFor(data: string): Promise<string> {
  return (await runDrv(['local', 'token', '--data', data], {env})).stdout.trim()
}

test.each(['SIGINT', 'SIGTERM'] as const)('serve prints its URL, and %s stops it', async signal => {
  const data = join(home, 'service')
  const {child, ended, served} = await serve(data)
  expect(served).toEqual({
    base_url: served.auth_url,
    auth_url: served.auth_url,
    issuer: `${served.auth_url}/login/oauth`,
    data,
  })
  expect(served.base_url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  const document = await fetch(`${served.base_url}/discovery/v1/apis/drive/v2/rest`)
  expect(await document.json()).toMatchObject({id: 'drive:v2', rootUrl: `${served.base_url}/`})
  child.kill(signal)
  expect(await ended).toEqual({code: 0, signal: null})
})

test('confirmed writes survive kill -9', async () => {
  const data = join(home, 'service')
  const token = await tokenFor(data)
  const {child, ended, served} = await serve(data)
  const acknowledged = new Map<string, string>()
  const upload = async () => {
    for (;;) {
      const content = randomBytes(20_000)
      const response = await fetch(`${served.base_url}/upload/drive/v2/files?uploadType=media`, {
        method: 'POST',
        headers: {authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream'},
        body: content,
      })
      const {id} = (await response.json()) as {id: string}
      acknowledged.set(id, createHash('md5').update(content).digest('hex'))
      if (acknowledged.size === 40) child.kill('SIGKILL')
    }
  }
  await Promise.allSettled([upload(), upload(), upload(), upload()])
  expect(await ended).toMatchObject({signal: 'SIGKILL'})
  expect(acknowledged.size).toBeGreaterThanOrEqual(40)

  const again = await serve(data)
  for (const [id, md5] of acknowledged) {
    const response = await fetch(`${again.served.base_url}/drive/v2/files/${id}?alt=media`, {
      headers: {authorization: `Bearer ${token}`},
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    expect(createHash('md5').update(bytes).digest('hex')).toBe(md5)
  }
  again.child.kill('SIGTERM')
  await again.ended
})

test('two processes serve one data directory at once', async () => {
  const data = join(home, 'service')
  const token = await tokenFor(data)
  const [one, two] = await Promise.all([serve(data), serve(data)])
  const headers = {authorization: `Bearer ${token}`, 'content-type': 'application/json'}
  const insert = async (url: string, title: string) => {
    const response = await fetch(`${url}/drive/v2/files`, {
      method: 'POST',
      headers,
      body: JSON.stringify({title}),
    })
    expect(response.status).toBe(200)
  }
  const numbers = Array.from({length: 20}, (_, number) => number)
  await Promise.all(
    numbers.flatMap(number => [
      insert(one.served.base_url, `one ${number}`),
      insert(two.served.base_url, `two ${number}`),
    ]),
  )
  const list = await fetch(`${two.served.base_url}/drive/v2/files`, {headers})
  expect(((await list.json()) as {items: unknown[]}).items).toHaveLength(40)
  for (const {child, ended} of [one, two]) {
    child.kill('SIGTERM')
    await ended
  }
})

test('run starts a service for one command, and exits with its code', async () => {
  const script = `
    drv files insert --title offline --json > /dev/null &&
    drv files list --json --fields 'items(title)' &&
    test -n "$DRV_TOKEN" && exit 7`
  const result = await runDrv(['local', 'run', '--', 'sh', '-c', script], {env, cwd: home})
  expect(result.stderr).toBe('')
  expect(JSON.parse(result.stdout)).toMatchObject({items: [{title: 'offline'}]})
  expect(result.code).toBe(7)
  expect(existsSync(join(home, 'data'))).toBe(false)
})

test('run stores its data in the directory of --data', async () => {
  const data = join(home, 'kept')
  const insert = ['drv', 'files', 'insert', '--title', 'kept', '--quiet']
  expect((await runDrv(['local', 'run', '--data', data, '--', ...insert], {env})).code).toBe(0)
  const list = ['drv', 'files', 'list', '--json']
  const {stdout} = await runDrv(['local', 'run', '--data', data, '--', ...list], {env})
  expect(JSON.parse(stdout)).toMatchObject({items: [{title: 'kept'}]})
})

test('a command that cannot be started is named', async () => {
  const result = await runDrv(['local', 'run', '--', 'no-such-program'], {env})
  expect(result.code).not.toBe(0)
  expect(result.stderr).toMatch(/no-such-program/)
})

test('foreign files in a data directory are moved aside, and every command reports it', async () => {
  const data = join(home, 'data', 'drv', 'local')
  const content = join(data, 'content')
  const lost = join(data, 'lost+found')
  const put = (name: string) => {
    writeFileSync(join(content, name), name)
    utimesSync(join(content, name), 0, 0)
  }
  const told = (name: string) => `Moved unreferenced files from ${content} to ${lost}: ${name}.\n`
  await tokenFor(data)

  put('run.txt')
  const run = await runDrv(['local', 'run', '--data', data, '--', 'true'], {env})
  expect(run).toMatchObject({code: 0, stderr: told('run.txt')})
  put('embedded.txt')
  const list = await runDrv(['files', 'list'], {env: {...env, DRV_TOKEN: await tokenFor(data)}})
  expect(list).toMatchObject({code: 0, stderr: expect.stringContaining(told('embedded.txt'))})
  put('serve.txt')
  const {child, ended} = await serve(data)
  let text = ''
  child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()))
  child.kill('SIGTERM')
  await ended
  expect(text).toBe(told('serve.txt'))
  for (const name of ['run.txt', 'embedded.txt', 'serve.txt']) {
    expect(readFileSync(join(lost, name), 'utf8')).toBe(name)
  }
})

test('a directory with other files is rejected in one sentence, by every command', async () => {
  const data = join(home, 'data', 'drv', 'local')
  mkdirSync(data, {recursive: true})
  writeFileSync(join(data, 'letter.txt'), 'mine')
  for (const words of [
    ['local', 'serve', '--data', data],
    ['local', 'run', '--data', data, '--', 'true'],
    ['local', 'token', '--data', data],
    ['local', 'user', 'list'],
    ['local', 'app', 'list'],
    ['local', 'org', 'list'],
    ['files', 'list'],
  ]) {
    const result = await runDrv(words, {env: {...env, DRV_TOKEN: 'any'}})
    expect(result).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(`^Error: .*${data}.*letter\\.txt\\.\n`) as string,
    })
  }
  expect(readdirSync(data)).toEqual(['letter.txt'])
})
