import {execFile} from 'node:child_process'
import {fileURLToPath} from 'node:url'
import {promisify} from 'node:util'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {startTestService, type TestService} from './harness.js'

/** Clients in two languages: from the description alone, and with an upload protocol of client libraries. */

let service: TestService
beforeAll(async () => {
  service = await startTestService({now: Date.now()})
})
afterAll(() => service.close())

test.each([
  ['python3', 'client.py'],
  ['python3', 'uploader.py'],
  [process.execPath, 'client.mjs'],
])('%s %s succeeds', async (program, file) => {
  const path = fileURLToPath(new URL(`../clients/${file}`, import.meta.url))
  const done = promisify(execFile)(program, [path, service.url, service.token()])
  await expect(done).resolves.toMatchObject({stdout: '', stderr: ''})
})
