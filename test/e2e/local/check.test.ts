import {existsSync, readdirSync, truncateSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterEach, beforeEach, expect, test} from 'vitest'
import {freshEnvironment, runDrv, temporaryFolder} from '../../support/drv.js'
import {runHere} from '../../support/here.js'

/** What users see when the disk has lost content. */

let home: string
let remove: () => void
let env: Record<string, string>
beforeEach(() => {
  ;({path: home, remove} = temporaryFolder())
  env = freshEnvironment(home)
})
afterEach(() => remove())

test('truncated content is reported at once, found by a check, and repaired by an upload', async () => {
  const data = join(home, 'service')
  const source = join(home, 'a.txt')
  const target = join(home, 'b.txt')
  writeFileSync(source, 'x'.repeat(100_000))
  const drv = (...words: string[]) =>
    runDrv(['local', 'run', '--data', data, '--', 'drv', ...words], {env})
  const check = (...words: string[]) => runHere(['local', 'check', '--data', data, ...words], {env})

  const missing = await check()
  expect(missing).toMatchObject({code: 1, stdout: ''})
  expect(missing.stderr).toRead()
  expect(existsSync(data)).toBe(false)

  const {id} = (await drv('files', 'insert', source, '--json')).json()
  const sound = await check('--json')
  expect(sound).toMatchObject({code: 0, stdout: '[]\n'})
  expect(sound.stderr).toRead()

  const [name] = readdirSync(join(data, 'content'))
  truncateSync(join(data, 'content', name!), 500)
  const got = await drv('files', 'get', id, '--download', target, '--verbose')
  expect(got.code).toBe(11)
  expect(got.stderr).toRead()
  expect(existsSync(target)).toBe(false)

  const found = await check()
  expect(found.code).toBe(11)
  expect(found.stdout).toRead()
  expect(found.stderr).toRead()
  expect((await check('--format', 'ndjson')).json()).toMatchObject({
    what: 'damaged',
    files: [{id, title: 'a.txt'}],
  })

  expect((await drv('files', 'update', id, source, '--no-new-revision', '--quiet')).code).toBe(0)
  expect((await check()).code).toBe(0)
  expect((await drv('files', 'get', id, '--download', target)).code).toBe(0)
})
