import {mkdirSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {type Result, runDrv} from '../support/drv.js'
import {runHere} from '../support/here.js'
import {startWorld, type World} from '../support/world.js'

/** Checks that commands run in the process of the test behave like a separate process. */

let world: World
beforeAll(async () => {
  world = await startWorld()
  const folder = await world.make('Here', 'root')
  for (const name of ['one', 'two']) await world.make(name, folder, `${name}\n`)
  mkdirSync(join(world.folder, 'local'))
  world.file('local/three', 'three\n')
})
afterAll(() => world.close())

/** The result of a run, without times and new IDs. */
const settled = ({code, signal, stdout, stderr}: Result) => ({
  code,
  signal,
  stdout: stdout.replace(/\b[\w-]{20,}\b/g, 'ID').replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME'),
  stderr: stderr.replace(/\d+(\.\d+)? (s|ms)\b/g, 'TIME'),
})

test.each([
  ['cat /Here/one /Here/two', 0],
  ['cat - /Here/one', 9],
  ['ls -l /Here', 0],
  ['ls /Here --json --verbose', 0],
  ['find / --name one', 0],
  ['du /Here', 0],
  ['tree /Here', 0],
  ['mkdir -p /Here/one', 12],
  ['mv /Here/one /Here/none/at/all', 5],
  ['cp /Here/one /Here --if-exists rename --dry-run', 0],
  ['rm /Here/none /Here/neither', 9],
  ['share /Here', 0],
  ['unshare /Here ada@example.com --dry-run', 0],
  ['stat /Here/two', 0],
  ['url /Here', 0],
  ['transfers list', 0],
  ['push local /Here --dry-run', 0],
  ['pull /Here down --dry-run', 0],
  ['files get /Here/one -o -', 0],
  ['files get /Here --format table', 0],
  ['files list --jq .items[].title', 0],
  ['api call drive.about.get --fields name', 0],
  ['api describe files get', 0],
  ['files gett', 2],
  ['files list --max-results ten --json', 2],
  ['files get --help', 0],
  ['--version', 0],
  ['--help', 0],
] as const)('drv %s', async (line, code) => {
  const options = {env: world.env, cwd: world.folder, input: '/Here/none\n'}
  const process = await runDrv(line.split(' '), options)
  expect(process.code, process.stderr).toBe(code)
  expect(settled(await runHere(line.split(' '), options))).toEqual(settled(process))
})
