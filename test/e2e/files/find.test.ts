import {afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test} from 'vitest'
import {runHere} from '../../support/here.js'
import {missingTerminal, startAtTerminal} from '../../support/terminal.js'
import {startWorld, type World} from '../../support/world.js'

let world: World
let ann: World
let reports: string
let report: string
beforeAll(async () => {
  world = await startWorld({}, runHere)
  ann = await world.as('ann@example.com')
  reports = await world.make('Reports', 'root')
  const year = await world.make('2026', reports)
  report = await world.make('Quarterly Report 3.txt', year, 'same content')
  await world.make('big.bin', year, 'x'.repeat(5000))
  const copy = await world.make('copy.txt', 'root', 'same content')
  await world.drv('files patch', copy, '--body', '{"labels":{"starred":true}}')
  await world.drv('properties insert', copy, '--key', 'project', '--value', 'x1')
  await world.make('100% [draft].txt', 'root', 'draft')
  await world.drv('files trash', await world.make('q-trashed.txt', 'root', 'same content'))
  const theirs = await ann.make('Q from Ann.txt', 'root', 'hers')
  await ann.drv('permissions insert', theirs, ...sharing('local@example.com'))
  await world.drv('permissions insert', report, ...sharing('ann@example.com'))
  await world.drv('permissions insert', year, '--role', 'reader', '--type', 'anyone', '--with-link')
})
afterAll(() => world.close())

const sharing = (value: string) => ['--role', 'reader', '--type', 'user', '--value', value]

async function found(...args: string[]) {
  const {code, stdout, stderr} = await world.run('find', args)
  if (code !== 0) throw new Error(stderr)
  return stdout
    .split('\n')
    .filter(Boolean)
    .map(line => line.split('\t')[0])
}

/** The searches that a command sends, and its total number of requests. */
async function sent(...args: string[]) {
  const {stderr} = await world.run('find', [...args, '--verbose'])
  const requests = stderr.match(/^(GET|POST) http.*$/gm) ?? []
  return requests.length
}

const REPORT = '/Reports/2026/Quarterly Report 3.txt'

describe('finds', () => {
  test('everything in My Drive, without the trash and shared files', async () => {
    expect(await found()).toEqual([
      '/100% [draft].txt',
      '/copy.txt',
      '/Reports',
      '/Reports/2026',
      '/Reports/2026/big.bin',
      REPORT,
    ])
    // The search also returned the folders, so paths need no requests.
    expect(await sent()).toBe(1)
  })

  test.each<[string[], string[]]>([
    [['--name', 'q*'], [REPORT]],
    [['--name', '*REPORT*', '--type', 'text'], [REPORT]],
    [['--name', 'copy.txt'], ['/copy.txt']],
    [['--name', '100% \\[draft].*'], ['/100% [draft].txt']],
    [['--name', '?opy.[st]xt'], ['/copy.txt']],
    [
      ['--type', 'folder'],
      ['/Reports', '/Reports/2026'],
    ],
    [['--type', 'bin'], ['/Reports/2026/big.bin']],
    [['--type', 'text/plain', '--larger', '1K'], ['/Reports/2026/big.bin']],
    [['--smaller', '6', '--type', 'txt'], ['/100% [draft].txt']],
    [['--shared-with', 'ann@example.com'], [REPORT]],
    [
      ['--shared-with', 'anyone'],
      ['/Reports/2026', '/Reports/2026/big.bin', REPORT],
    ],
    [['--owner', 'ann@example.com'], []],
    [
      ['--owner', 'me', '--name', 'copy.txt', '--name', 'b*'],
      ['/copy.txt', '/Reports/2026/big.bin'],
    ],
    [['report 3'], [REPORT]],
    [['report', '2026'], []],
    [['copy', '/Reports'], []],
    [['quarterly report', '/Reports'], [REPORT]],
    [['*.bin'], ['/Reports/2026/big.bin']],
    [['--content', 'draft'], ['/100% [draft].txt']],
    [['--starred'], ['/copy.txt']],
    [['--property', 'project=x1'], ['/copy.txt']],
    [['--property', 'project=x2'], []],
    [['--property', 'project'], ['/copy.txt']],
    [['--modified-by', 'me', '--type', 'bin'], ['/Reports/2026/big.bin']],
    [['--modified-by', 'ann@example.com'], []],
    [['--shared-with', '@example.com'], [REPORT]],
    [['--shared-with', '@other.example'], []],
    [
      ['--not-shared-with', '@example.com', '--type', 'txt'],
      ['/100% [draft].txt', '/copy.txt', '/Reports/2026/big.bin'],
    ],
    [
      ['--not-shared-with', 'anyone'],
      ['/100% [draft].txt', '/copy.txt', '/Reports'],
    ],
    [['--not-shared-with', 'ann@example.com', '/Reports/2026'], ['/Reports/2026/big.bin']],
    [
      ['--external', 'example.com'],
      ['/Reports/2026', '/Reports/2026/big.bin', REPORT],
    ],
    [['--external', '@elsewhere.example', '--not-shared-with', 'anyone'], []],
    [['--min-size', '5000', '--max-size', '5000'], ['/Reports/2026/big.bin']],
    [['--older', 'tomorrow', 'copy'], ['/copy.txt']],
    [['--before', '1y', '--after', '2000-01-01'], []],
    [['--created-after', 'yesterday', '--newer', '-1d', 'copy'], ['/copy.txt']],
    [['--created-before', '2w ago'], []],
    [
      ['--sort', 'size', '--limit', '2'],
      ['/Reports/2026/big.bin', '/copy.txt'],
    ],
    [['--sort', 'size', '-r', '-L', '1', '--type', 'txt'], ['/100% [draft].txt']],
    [['trash:', 'q-'], ['trash:/q-trashed.txt']],
    [['shared:'], ['shared:/Q from Ann.txt']],
    [['--all-drives', 'ann'], ['shared:/Q from Ann.txt']],
    [['--orphans'], []],
    [['--modified-since', '1h', '--name', 'copy*'], ['/copy.txt']],
    [['--modified-since', '2999-01-01'], []],
    [['/Reports', '--name', 'c*'], []],
    [['/Reports'], ['/Reports/2026', '/Reports/2026/big.bin', REPORT]],
    [['/Reports/2026', '/Reports', '--larger', '1K'], ['/Reports/2026/big.bin']],
  ])('%j', async (args, expected) => {
    expect(await found(...args)).toEqual(expected)
  })

  test('duplicates, in groups, also by ID', async () => {
    const {stdout} = await world.run('find --duplicates')
    const rows = stdout
      .trim()
      .split('\n')
      .map(line => line.split('\t'))
    expect(rows.map(([path]) => path)).toEqual(['/copy.txt', REPORT])
    expect(new Set(rows.map(row => row[5])).size).toBe(1)
    expect(await found('--duplicates', '--format', 'ids')).toContain(report)
  })

  test('in a shared drive', async () => {
    await world.drv('drives insert', '--name', 'Finance')
    const folder = ['--mime-type', 'application/vnd.google-apps.folder']
    await world.drv('files insert', '--title', 'plans', '--parent', 'drive:Finance', ...folder)
    await world.drv('files insert', '--title', 'plan.txt', '--parent', 'drive:Finance/plans')
    expect(await found('drive:Finance', '--name', 'plan*')).toEqual([
      'drive:Finance/plans',
      'drive:Finance/plans/plan.txt',
    ])
    expect(await found('drive:Finance/plans', '--name', 'plan*')).toEqual([
      'drive:Finance/plans/plan.txt',
    ])
    expect(await found('--name', 'plan*')).toEqual([])
    const all = ['drive:Finance/plans', 'drive:Finance/plans/plan.txt']
    expect(await found('plan', '--all-drives')).toEqual(all)
    expect(await found('plan', 'drive:')).toEqual(all)
    expect(await found('copy', 'drive:')).toEqual([])
  })
})

test('orphans are files of the user in a folder that the user can no longer see', async () => {
  const mine = await startWorld({}, runHere)
  onTestFinished(() => mine.close())
  const hers = await mine.as('ann@example.com')
  const folder = await hers.make('hers', 'root')
  const role = ['--role', 'writer', '--type', 'user', '--value', 'local@example.com']
  const {id: permission} = await hers.drv('permissions insert', folder, ...role)
  const lost = await mine.make('lost.txt', folder, 'mine')
  const orphans = async (...flags: string[]) =>
    (await mine.drv('find --orphans', ...flags)).map(({path}: {path: string}) => path)
  expect(await orphans()).toEqual([])
  await hers.drv('permissions delete', folder, permission, '--yes')
  const [path] = await orphans()
  expect((await mine.run('cat', [path])).stdout).toBe('mine')
  expect(await orphans('--larger', '1K')).toEqual([])
  const {stdout} = await mine.run('find --orphans --format ids')
  expect(stdout).toBe(`${lost}\n`)
  await mine.drv('mkdir', '/Reports')
  await mine.run('mv', ['-', '/Reports'], {input: stdout})
  expect(await orphans()).toEqual([])
  expect((await mine.run('cat', ['/Reports/lost.txt'])).stdout).toBe('mine')
})

test('its IDs are input for another command', async () => {
  const id = await world.make('old.tmp', reports, 'old')
  const ids = await world.run('find /Reports --name *.tmp --format ids')
  expect(ids.stdout).toBe(`${id}\n`)
  await world.run('files trash', ['-'], {input: ids.stdout})
  expect(await world.drv('files get', id)).toMatchObject({labels: {trashed: true}})
})

test('--verbose shows the number of files read', async () => {
  expect((await world.run('find --larger 4K')).stderr).toBe('')
  const {stderr} = await world.run('find --larger 4K --verbose')
  expect(stderr.split('\n').find(line => line.startsWith('('))).toRead()
})

test('suggests a glob if --name has no wildcards', async () => {
  const {code, stderr} = await world.run('find --name report')
  expect(code).toBe(0)
  expect(stderr).toRead()
})

test('--dry-run shows the search', async () => {
  const {stdout} = await world.run('find --name q* --type pdf --dry-run')
  expect(stdout).toRead()
})

test.each([
  [['--larger', 'x']],
  [['--modified-since', 'x']],
  [['--owner', 'x']],
  [['--type', 'a b']],
  [['--created-before', '1q']],
  [['--external', 'x']],
  [['--property', '=x']],
  [['--limit', '0']],
  [['--orphans', '/Reports']],
  [['--all-drives', '--orphans']],
])('%j is invalid', async args => {
  const {code, stderr} = await world.run('find', args)
  expect(code).toBe(2)
  expect(stderr).toRead()
})

test('a file is not a folder to search', async () => {
  const {code, stderr} = await world.run('find /copy.txt')
  expect(code).toBe(1)
  expect(stderr).toRead()
})

describe('at a terminal', () => {
  beforeEach(({skip}) => skip(missingTerminal !== undefined, missingTerminal))

  test('each group of duplicates has a heading', async () => {
    const {ended, output} = startAtTerminal(['find', '--duplicates'], {
      env: {...world.env, NO_COLOR: '1'},
    })
    expect(await ended).toBe(0)
    expect(output().replaceAll('\r\n', '\n')).toMatch(
      /^2 files of 12 B each:\nPATH .*\n\/copy\.txt .*\n\/Rep/,
    )
  })
})
