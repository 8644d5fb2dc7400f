import {writeFileSync} from 'node:fs'
import type {RequestListener} from 'node:http'
import {join} from 'node:path'
import {text} from 'node:stream/consumers'
import {beforeEach, describe, expect, onTestFinished, test} from 'vitest'
import {freshEnvironment, startDrv, temporaryFolder} from '../../support/drv.js'
import {serve} from '../../support/serve.js'
import {missingTerminal, startAtTerminal} from '../../support/terminal.js'

/** Messages after Ctrl-C: what is done, what is not, and how to continue. */

let env: Record<string, string>
let folder: string
beforeEach(() => {
  const {path, remove} = temporaryFolder()
  onTestFinished(remove)
  folder = path
  env = {...freshEnvironment(path), DRV_TOKEN: 'drv-test-0123456789abcdef'}
})

/** A service with responses from the test; calls `reached` for requests without one. */
async function serveDrv(answer: (url: string) => object | undefined, reached = () => {}) {
  const listener: RequestListener = (request, response) => {
    request.resume()
    const body = answer(request.url ?? '')
    if (!body) return reached()
    response.writeHead(200, {'content-type': 'application/json'}).end(JSON.stringify(body))
  }
  const {url} = await serve(listener)
  Object.assign(env, {DRV_BASE_URL: url, DRV_AUTH_URL: url})
}

/** Runs a command, and interrupts it when `isTime` returns true for its standard output. */
async function interrupted(line: string, isTime?: (stdout: string) => boolean) {
  const child = startDrv(line.split(' '), {env, cwd: folder})
  onTestFinished(() => void child.kill('SIGKILL'))
  let stdout = ''
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString()
    if (isTime?.(stdout)) child.kill('SIGINT')
  })
  const said = text(child.stderr)
  const ended = new Promise<number | null>(resolve => child.once('close', resolve))
  return {
    kill: () => child.kill('SIGINT'),
    result: async () => ({code: await ended, stdout, stderr: await said}),
  }
}

describe('a request without a response', () => {
  test.each([
    'files get ID',
    'files trash ID',
    'files watch ID --type web_hook --address https://hooks.example.com/a',
    'push . /',
    'pull / down',
  ])('%s', async line => {
    let reach = () => {}
    const reached = new Promise<void>(resolve => (reach = resolve))
    await serveDrv(() => undefined, reach)
    const {kill, result} = await interrupted(line)
    await reached
    kill()
    const {code, stdout, stderr} = await result()
    expect([code, stdout]).toEqual([130, ''])
    expect(stderr).toRead()
  })
})

describe('new content for a file', () => {
  const file = {id: 'ID', title: 'a', mimeType: 'text/plain'}

  test.each([
    ['before the type of the file is known', 'new', () => undefined],
    ['in one request', 'new.txt', (url: string) => (url.startsWith('/upload') ? undefined : file)],
  ])('%s', async (_, name, answer) => {
    writeFileSync(join(folder, name), 'three')
    let reach = () => {}
    const reached = new Promise<void>(resolve => (reach = resolve))
    await serveDrv(answer, reach)
    const {kill, result} = await interrupted(`files update ID ${name}`)
    await reached
    kill()
    const {code, stdout, stderr} = await result()
    expect([code, stdout]).toEqual([130, ''])
    expect(stderr).toRead()
  })
})

describe('content to standard output', () => {
  const size = 4 * 1024 * 1024
  const facts = {title: 'big.bin', fileSize: String(size)}

  /** A service whose content stops in the middle. */
  async function serveHalf() {
    const listener: RequestListener = (request, response) => {
      if (!request.url?.includes('alt=media')) {
        response.writeHead(200, {'content-type': 'application/json'}).end(JSON.stringify(facts))
        return
      }
      response.writeHead(200, {'content-length': String(size)})
      response.write(Buffer.alloc(size / 2))
    }
    const {url} = await serve(listener)
    Object.assign(env, {DRV_BASE_URL: url, DRV_AUTH_URL: url})
  }

  test('that stalls', async () => {
    await serveHalf()
    const {result} = await interrupted(
      'files get ID --output -',
      stdout => stdout.length >= size / 2,
    )
    const {code, stdout, stderr} = await result()
    expect([code, stdout.length]).toEqual([130, size / 2])
    expect(stderr).toBe(
      'Error: Interrupted. Received 2.0 MiB of 4.0 MiB of big.bin.\nRun the same command again to start over.\n',
    )
  })

  test('without a reader', async () => {
    await serveHalf()
    const child = startDrv(['files', 'get', 'ID', '--output', '-'], {env, cwd: folder})
    onTestFinished(() => void child.kill('SIGKILL'))
    // Part of the content has been written, and the rest is not read.
    await new Promise(resolve => child.stdout.once('readable', resolve))
    const said = text(child.stderr)
    const ended = new Promise<number | null>(resolve => child.once('exit', resolve))
    child.kill('SIGINT')
    expect(await ended).toBe(130)
    child.stdout.destroy()
    expect(await said).toMatch(
      /^Error: Interrupted. Received .* of 4\.0 MiB of big\.bin\.\n.*start over\.\n$/,
    )
  })
})

test('a list reports the number of entries printed', async () => {
  const items = Array.from({length: 3}, (_, index) => ({id: `id-${index}`, title: `t-${index}`}))
  await serveDrv(url => (url.includes('pageToken=') ? undefined : {items, nextPageToken: 'next'}))
  const {result} = await interrupted('files list --all', stdout => stdout.includes('t-2'))
  const {code, stderr} = await result()
  expect(code).toBe(130)
  expect(stderr).toRead()
})

test('with --json it is one document on standard error', async () => {
  let reach = () => {}
  const reached = new Promise<void>(resolve => (reach = resolve))
  await serveDrv(() => undefined, reach)
  const {kill, result} = await interrupted('files get ID --json')
  await reached
  kill()
  const {code, stderr} = await result()
  expect(code).toBe(130)
  expect(JSON.parse(stderr).error).toMatchObject({
    code: 'interrupted',
    message: 'Interrupted. Nothing was changed.',
    hint: 'Run the same command again.',
  })
})

test.skipIf(missingTerminal !== undefined)('at a question nothing was done', async () => {
  await serveDrv(() => ({id: 'ID', title: 'a.txt'}))
  const drv = startAtTerminal(['files', 'delete', 'ID'], {env})
  await drv.shows(/\(y\/N\)/)
  drv.type('\u0003')
  await drv.shows(/Interrupted. Nothing was done\.\s+Run the same command again\./)
  expect(await drv.ended).toBe(130)
})
