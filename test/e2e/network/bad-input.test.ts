import {execFile} from 'node:child_process'
import {existsSync, readdirSync} from 'node:fs'
import {join} from 'node:path'
import {promisify} from 'node:util'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {BINARY} from '../../support/drv.js'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'

let world: World
let file: string
beforeAll(async () => {
  world = await startWorld({}, runHere)
  file = (await world.drv('files insert', '--title', 'here')).id
})
afterAll(() => world.close())

/** One error of each kind; `test/parse/mistakes.test.ts` has all errors found before a request. */
test.each<[what: string, command: string, args: string[], code: number, words: RegExp]>([
  ['a wrong type', 'files list', ['--max-results', 'ten'], 2, /--max-results.*ten/],
  ['an unknown enum value', 'files insert', ['--visibility', 'SECRET'], 2, /--visibility.*DEFAULT/],
  ['a missing argument', 'files trash', [], 2, /FILE/],
  ['a missing body field', 'properties insert', ['ID', '--value', 'x'], 2, /--key/],
  ['an unknown flag', 'files list', ['--colour'], 2, /--colour/],
  ['an unreadable file', 'files insert', ['no/such/file'], 2, /no\/such\/file/],
  ['malformed JSON', 'files patch', ['ID', '--body', '{"title":'], 2, /--body/],
  ['an unknown ID', 'files get', ['nothing'], 5, /nothing/],
  ['a bad search', 'files list', ['--q', 'title ='], 2, /--q|\bq\b/],
  ['a bad page token', 'files list', ['--page-token', 'x'], 1, /--page-token/],
  ['a bad selection', 'files get', ['ID', '--fields', 'nope'], 2, /nope/],
  ['an unknown command', 'files explode', [], 2, /explode/],
])('%s', async (_, command, args, code, words) => {
  const result = await world.run(
    command,
    args.map(arg => (arg === 'ID' ? file : arg)),
  )
  expect(result.stderr).toMatch(words)
  expect(result.stderr).not.toMatch(/^\s+at /m)
  expect(result.stdout).toBe('')
  expect(result.code).toBe(code)
})

test('an unreachable service is named', async () => {
  const address = {DRV_BASE_URL: 'http://127.0.0.1:9', DRV_AUTH_URL: 'http://127.0.0.1:9'}
  const result = await world.run('files list', [], {env: address})
  expect(result.code).toBe(8)
  expect(result.stderr).toMatch(/127\.0\.0\.1:9/)
})

test('a token is never sent to another host over plain http', async () => {
  const result = await world.run('files list', [], {
    env: {DRV_BASE_URL: 'http://files.example.com'},
  })
  expect(result.code).toBe(10)
  expect(result.stderr).toMatch(/https/)
})

test('a rejected token', async () => {
  const result = await world.run('files list', [], {env: {DRV_TOKEN: 'wrong'}})
  expect(result.code).toBe(4)
  expect(result.stderr).toMatch(/DRV_TOKEN/)
  expect(result.stderr).not.toMatch(/wrong/)
})

test.skipIf(!existsSync('/dev/full'))('a full disk gets a clear error', async () => {
  const {id} = await world.drv('files insert', world.file('full.txt', 'some content'))
  for (const command of ['files list', `files get ${id} --download -`, 'api describe']) {
    const script = 'exec "$0" "$@" > /dev/full'
    const args = ['-c', script, process.execPath, BINARY, ...command.split(' ')]
    const run = promisify(execFile)('sh', args, {env: world.env})
    await expect(run, command).rejects.toMatchObject({
      code: 1,
      stderr: 'Error: Cannot write the output: the disk is full.\n',
    })
  }
})

test('a failed download leaves nothing behind', async () => {
  const target = join(world.folder, 'target.txt')
  const result = await world.run('files get', ['nothing', '--download', target])
  expect(result.code).toBe(5)
  expect(existsSync(target)).toBe(false)
  expect(readdirSync(world.folder).filter(name => name.includes('target'))).toEqual([])
})
