import {mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {beforeEach, expect, onTestFinished, test} from 'vitest'
import {freshEnvironment, runDrv, temporaryFolder} from '../../support/drv.js'
import {runHere} from '../../support/here.js'

/** `drv local serve --seed`, `drv local run --seed` and `drv local export`. */

let env: Record<string, string>
let folder: string
beforeEach(() => {
  const {path, remove} = temporaryFolder()
  onTestFinished(remove)
  folder = path
  env = freshEnvironment(join(path, 'home'))
  mkdirSync(join(path, 'home'), {recursive: true})
})

const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
const here = (...args: string[]) => runHere(['local', ...args], {env, cwd: folder})
const SEED = `users:
  - login: ada
    files:
      - {title: q3.txt, id: q3, text: third quarter}
`

test('run starts with a seed, signed in as its first user', async () => {
  write('seed.yaml', SEED)
  const result = await runDrv(
    [
      'local',
      'run',
      '--seed',
      'seed.yaml',
      '--',
      'drv',
      'files',
      'get',
      'q3',
      '--fields',
      'title,owners(displayName)',
      '--json',
    ],
    {env, cwd: folder},
  )
  expect(result.code, result.stderr).toBe(0)
  expect(result.json()).toMatchObject({title: 'q3.txt', owners: [{displayName: 'ada'}]})
})

test('a directory made from the same seed is used as it is', async () => {
  write('seed.yaml', SEED)
  const run = (...command: string[]) =>
    runDrv(['local', 'run', '--data', 'bench', '--seed', 'seed.yaml', '--', 'drv', ...command], {
      env,
      cwd: folder,
    })
  expect((await run('mkdir', '/New')).code).toBe(0)
  const {stdout, stderr} = await run('ls', '--format', 'tsv', '--columns', 'title')
  expect(stdout).toBe('New\nq3.txt\n')
  expect(stderr.replaceAll(folder, 'FOLDER')).toRead()
})

test('an invalid seed is refused before anything starts', async () => {
  write('seed.yaml', SEED.replace('title', 'Title'))
  const {code, stderr} = await here('serve', '--seed', 'seed.yaml')
  expect(code).toBe(2)
  expect(stderr).toRead()
  const missing = await here('run', '--seed', 'none.yaml', '--', 'drv', 'ls')
  expect(missing.code).toBe(2)
  expect(missing.stderr).toRead()
})

test('a seed that cannot be applied, and a directory with other data, are refused', async () => {
  write('seed.yaml', SEED.replace('text: third quarter', 'shortcutTarget: none'))
  const broken = await here('serve', '--data', 'bench', '--seed', 'seed.yaml')
  expect(broken.code).toBe(2)
  expect(broken.stderr).toRead()
  await here('token', '--data', 'bench')
  write('seed.yaml', SEED)
  const other = await here('serve', '--data', 'bench', '--seed', 'seed.yaml')
  expect(other.code).toBe(1)
  expect(other.stderr.replaceAll(folder, 'FOLDER')).toRead()
})

test('export writes a seed that makes the same service again', async () => {
  write('seed.yaml', `${SEED}      - {title: big.bin, id: big, size: 40 KiB}\n`)
  const run = (data: string, seed: string) =>
    runDrv(['local', 'run', '--data', data, '--seed', seed, '--', 'drv', 'ls', '--json'], {
      env,
      cwd: folder,
    })
  const first = await run('bench', 'seed.yaml')
  expect(first.code).toBe(0)
  for (const output of ['copy.yaml', 'copy.json']) {
    const done = await here('export', '--data', 'bench', '--with-content', '-o', output)
    expect(done.stderr).toRead()
    expect((await run(output.replace('.', '-'), output)).json()).toEqual(first.json())
  }
  expect(readFileSync(join(folder, 'copy.yaml'), 'utf8')).toMatch(
    /^# yaml-language-server: \$schema=\.\//,
  )
  const again = await here('export', '--data', 'bench', '-o', 'copy.yaml')
  expect(again.code).toBe(2)
  expect(again.stderr).toRead()
  expect((await here('export', '--data', 'bench', '--force', '-o', 'copy.yaml')).code).toBe(0)
})

test('export prints the seed; large content needs a file', async () => {
  write('seed.yaml', `${SEED}      - {title: big.bin, id: big, size: 40 KiB}\n`)
  await runDrv(['local', 'run', '--data', 'bench', '--seed', 'seed.yaml', '--', 'drv', 'ls'], {
    env,
    cwd: folder,
  })
  const {stdout} = await here('export', '--data', 'bench')
  expect(stdout).toContain('title: big.bin')
  expect(stdout).toContain('size: 40960')
  const printed = (await here('export', '--data', 'bench', '--json')).json<any>()
  expect(printed).toMatchObject({
    $schema: expect.stringContaining('seed.schema.json'),
    users: [{login: 'ada'}],
  })
  const large = await here('export', '--data', 'bench', '--with-content')
  expect(large.code).toBe(2)
  expect(large.stderr).toRead()
  const none = await here('export', '--data', 'none')
  expect(none.code).toBe(1)
  expect(none.stderr.replaceAll(folder, 'FOLDER')).toRead()
})

test('after reset, the seed makes the same data again', async () => {
  write('seed.yaml', SEED)
  const run = () =>
    runDrv(
      [
        'local',
        'run',
        '--data',
        'bench',
        '--seed',
        'seed.yaml',
        '--',
        'drv',
        'ls',
        '--format',
        'ids',
      ],
      {
        env,
        cwd: folder,
      },
    )
  const {stdout} = await run()
  const {code} = await runDrv(['local', 'reset', '--data', 'bench', '--yes'], {env, cwd: folder})
  expect(code).toBe(0)
  expect(readdirSync(join(folder, 'bench'))).toEqual([])
  expect(await run()).toMatchObject({stdout, stderr: ''})
})
