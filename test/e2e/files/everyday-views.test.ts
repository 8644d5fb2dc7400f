import {afterAll, beforeAll, beforeEach, describe, expect, test} from 'vitest'
import {runHere} from '../../support/here.js'
import {missingTerminal, startAtTerminal} from '../../support/terminal.js'
import {startWorld, type World} from '../../support/world.js'

/** The verbs that list files: `ls`, `tree`, `stat` and `du`. */

let world: World
let reports: string
let year: string
let q3: string
beforeAll(async () => {
  world = await startWorld({}, runHere)
  reports = await world.make('Reports', 'root')
  year = await world.make('2026', reports)
  q3 = await world.make('q3.txt', year, 'three')
  await world.make('q10.txt', year, 'ten')
  await world.make('deep', year)
  await world.make('a/b', reports, 'slash')
  await world.make('notes.txt', 'root', 'note')
  await world.make('evil\u001b[31m', 'root', 'x')
})
afterAll(() => world.close())

const rows = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map(line => line.split('\t'))
const paths = (text: string) => rows(text).map(([path]) => path)

/** The output at a terminal. */
async function seen(...words: string[]) {
  const {ended, output} = startAtTerminal(words, {env: {...world.env, NO_COLOR: '1'}})
  const code = await ended
  return {code, text: output().replaceAll('\r\n', '\n')}
}

/** Runs a command and counts its requests with `--verbose`. */
async function counted(command: string, ...args: string[]) {
  const result = await world.run(command, [...args, '--verbose'])
  return {...result, requests: result.stderr.match(/^(GET|POST) http/gm)?.length ?? 0}
}

describe('ls', () => {
  test('lists the root of My Drive with one request', async () => {
    const {code, stdout, requests} = await counted('ls')
    expect([code, requests]).toEqual([0, 1])
    expect(paths(stdout)).toEqual(['/evil\u001b[31m', '/notes.txt', '/Reports'])
  })

  test('prints rows with stable columns, in natural order', async () => {
    const {stdout} = await world.run('ls /Reports/2026')
    expect(rows(stdout)).toEqual([
      [
        '/Reports/2026/deep',
        'application/vnd.google-apps.folder',
        '',
        expect.any(String),
        expect.any(String),
      ],
      ['/Reports/2026/q3.txt', 'text/plain', '5', expect.any(String), q3],
      ['/Reports/2026/q10.txt', 'text/plain', '3', expect.any(String), expect.any(String)],
    ])
  })

  test('lists a file itself, and an item without a path by its ID', async () => {
    expect(paths((await world.run('ls /Reports/2026/q3.txt')).stdout)).toEqual([
      '/Reports/2026/q3.txt',
    ])
    const odd = paths((await world.run('ls /Reports')).stdout)[1]!
    expect(odd).toMatch(/^id:/)
    expect((await world.run('ls', [odd, '--columns', 'title'])).stdout).toBe('a/b\n')
  })

  test('accepts several paths, one of them missing', async () => {
    const {code, stdout, stderr} = await world.run('ls /notes.txt /nothing /Reports/2026/')
    expect(code).toBe(9)
    expect(paths(stdout)).toContain('/notes.txt')
    expect(paths(stdout)).toContain('/Reports/2026/q3.txt')
    expect(stderr).toRead()
    expect((await world.run('ls /nothing')).code).toBe(5)
    expect((await world.run('ls /notes.txt/')).code).not.toBe(0)
  })

  test('lists level by level, not folder by folder', async () => {
    const wide = await world.make('Wide', 'root')
    for (let number = 1; number <= 12; number++) {
      await world.make('inner', await world.make(`folder ${number}`, wide), 'x')
    }
    const {stdout, requests} = await counted('ls -R /Wide')
    expect(paths(stdout)).toHaveLength(24)
    // Two requests to find the folder, then one for each level.
    expect(requests).toBe(4)
    await world.drv('files trash', wide)
  })

  test('prints columns of files, and IDs for other commands', async () => {
    const byId = await world.run('ls', [year, '--format', 'ids'])
    expect(byId.stdout.split('\n')).toContain(q3)
    expect(paths((await world.run('ls', [year])).stdout)).toContain(`${year}/q3.txt`)
    const owners = await world.run('ls /Reports/2026 --columns title,owners.emailAddress')
    expect(owners.stdout).toContain('q3.txt\t["local@example.com"]\n')
    expect((await world.run('ls --columns help')).stdout).toContain('md5Checksum\n')
    expect((await world.run('ls --columns tilte')).code).toBe(2)
    const [first] = (await world.run('ls /Reports/2026 --json')).json<any[]>()
    expect(first).toMatchObject({path: '/Reports/2026/deep', title: 'deep'})
  })

  test('reads what to list from standard input', async () => {
    const {stdout} = await world.run('ls', ['-'], {input: '/notes.txt\n{"id": "root"}\n'})
    expect(paths(stdout)).toEqual(['/notes.txt', ...paths((await world.run('ls')).stdout)])
  })

  test('lists shared drives, the trash and shared files', async () => {
    const {id: driveId} = await world.drv('drives insert', '--name', 'Finance')
    const folder = ['--mime-type', 'application/vnd.google-apps.folder']
    await world.drv('files insert', '--title', 'plans', '--parent', driveId, ...folder)
    await world.drv('files insert', '--title', 'plan.txt', '--parent', 'drive:Finance/plans')
    expect(paths((await world.run('ls drive:')).stdout)).toEqual(['drive:Finance'])
    expect(paths((await world.run('ls -R drive:')).stdout)).toEqual([
      'drive:Finance',
      'drive:Finance/plans',
      'drive:Finance/plans/plan.txt',
    ])
    expect(paths((await world.run('ls drive:Finance')).stdout)).toEqual(['drive:Finance/plans'])
    const old = await world.make('old', 'root')
    await world.make('older.txt', old, 'old')
    await world.drv('files trash', old)
    expect(paths((await world.run('ls trash:')).stdout)).toContain('trash:/old')
    expect(paths((await world.run('ls trash:')).stdout).join()).not.toContain('older')
    expect(paths((await world.run('ls trash:/old')).stdout)).toEqual(['trash:/old/older.txt'])
    expect(paths((await world.run('ls -R trash:')).stdout)).toContain('trash:/old/older.txt')
    const ann = await world.as('ann@example.com')
    const id = await ann.make('From Ann.txt', 'root', 'hello')
    const who = ['--role', 'reader', '--type', 'user', '--value', 'local@example.com']
    await ann.drv('permissions insert', id, ...who)
    expect(paths((await world.run('ls shared:')).stdout)).toEqual(['shared:/From Ann.txt'])
  })

  test('--dry-run shows the operations', async () => {
    const {stdout, requests} = await counted('ls', '/Reports', 'drive:', '--dry-run')
    expect(stdout).toBe('files.list\t/Reports\ndrives.list\tdrive:\n')
    expect(requests).toBe(0)
  })
})

describe('tree', () => {
  test('prints the rows of ls -R in a pipe, down to the depth', async () => {
    expect(paths((await world.run('tree /Reports')).stdout)).toEqual([
      '/Reports/2026',
      '/Reports/2026/deep',
      '/Reports/2026/q3.txt',
      '/Reports/2026/q10.txt',
      expect.stringMatching(/^id:/),
    ])
    expect(paths((await world.run('tree /Reports --depth 1')).stdout)).toHaveLength(2)
    expect((await world.run('tree --depth 0')).code).toBe(2)
  })

  test('draws a tree with sizes and their total', async () => {
    const {stdout} = await world.run('tree /Reports --format table')
    expect(stdout).toBe(
      [
        '/Reports',
        '├── 2026/',
        '│   ├── deep/',
        '│   ├── q3.txt  5 B',
        '│   └── q10.txt  3 B',
        '└── a/b  5 B',
        '',
        '2 folders, 3 files, 13 B',
        '',
      ].join('\n'),
    )
  })
})

describe('du', () => {
  test('prints the total size of each entry, in bytes in a pipe', async () => {
    const {stdout} = await world.run('du /Reports')
    expect(rows(stdout).map(([size, path, files]) => [size, path, files])).toEqual([
      ['8', '/Reports/2026', '2'],
      ['5', expect.stringMatching(/^id:/), '1'],
      ['13', '/Reports', '3'],
    ])
    expect(rows((await world.run('du /Reports --depth 0')).stdout)).toHaveLength(1)
    expect(rows((await world.run('du /Reports --depth 2')).stdout).map(([, path]) => path)).toEqual(
      [
        '/Reports/2026/deep',
        '/Reports/2026/q3.txt',
        '/Reports/2026/q10.txt',
        '/Reports/2026',
        expect.stringMatching(/^id:/),
        '/Reports',
      ],
    )
    expect((await world.run('du /notes.txt')).stdout).toMatch(/^4\t\/notes\.txt\t1\t/)
  })

  test('prints sizes with units at a terminal', async () => {
    const {stdout} = await world.run('du /Reports --format table')
    expect(stdout).toMatch(/^ *SIZE  FILES  PATH\n +8 B +2  \/Reports\/2026\/\n/)
  })
})

describe('stat', () => {
  test('prints all metadata, with the path', async () => {
    const one = await world.drv('stat', q3)
    expect(one).toMatchObject({
      id: q3,
      path: '/Reports/2026/q3.txt',
      md5Checksum: expect.any(String),
    })
    const {stdout} = await world.run('stat /Reports/2026/q3.txt --format table')
    expect(stdout).toMatch(/^title +q3\.txt\npath +\/Reports\/2026\/q3\.txt\nid +/)
    expect((await world.run('stat /nothing')).code).toBe(5)
  })

  test('prints several files, and continues after a missing one', async () => {
    const {code, stdout} = await world.run('stat /notes.txt /nothing --format table', [q3])
    expect(code).toBe(9)
    expect(stdout).toMatch(/^title +notes\.txt\n[^]*\n\ntitle +q3\.txt\n/)
    const piped = await world.run('stat', ['-'], {input: `/notes.txt\n${q3}\n`})
    expect(paths(piped.stdout)).toEqual(['/notes.txt', '/Reports/2026/q3.txt'])
    expect(paths((await world.run('stat', [q3])).stdout)).toEqual(['/Reports/2026/q3.txt'])
    expect((await world.run('stat', [q3, '--dry-run'])).stdout).toMatch(/^GET /)
    const ids = await world.run('stat', [q3, reports, '--format', 'ids'])
    expect(ids.stdout).toBe(`${q3}\n${reports}\n`)
  })
})

describe('at a terminal', () => {
  beforeEach(({skip}) => skip(missingTerminal !== undefined, missingTerminal))

  test('ls prints names without control characters, and folders with a slash', async () => {
    const {text} = await seen('ls')
    expect(text).toMatch(/^NAME +KIND +SIZE +MODIFIED\nevil \[31m +text +1 B /)
    expect(text).toMatch(/\nReports\/ +folder /)
    expect(text).not.toContain('\u001b')
    expect((await seen('ls', '-l')).text).toMatch(/^NAME .* OWNER .*ID\n/)
  })

  test('ls prints several folders under headings', async () => {
    const {text} = await seen('ls', '/notes.txt', '/Reports', '/Reports/2026')
    expect(text).toMatch(
      /^NAME.*\nnotes\.txt .*\n\n\/Reports:\nNAME.*\n2026\/ .*\na\/b .*\n\n\/Reports\/2026:\nNAME/,
    )
  })
})

test.each([
  ['ls', ['/Reports/2026/q3.txt', '/notes.txt']],
  ['tree', ['/Reports/2026/q3.txt', '/notes.txt']],
  ['du', ['5', '4']],
])('drv %s looks at what the records of a file name', async (verb, first) => {
  const file = world.file('places.csv', `path,of\n/Reports/2026/q3.txt,a year\n/notes.txt,nobody\n`)
  const {stdout, code, stderr} = await world.run(verb, ['--from', file])
  expect(code, stderr).toBe(0)
  expect(paths(stdout).sort()).toEqual([...first].sort())
})

test('drv find --from searches the folders in a file', async () => {
  const file = world.file('folders.csv', 'path\n/Reports/2026\n')
  const {stdout} = await world.run('find', ['--name', 'q*', '--from', file])
  expect(paths(stdout)).toEqual(['/Reports/2026/q3.txt', '/Reports/2026/q10.txt'])
})

test('drv open accepts several files; only one argument reads standard input', async () => {
  const dry = await world.run('open', ['/notes.txt', '-', '--dry-run'], {input: '/Reports\n'})
  expect(rows(dry.stdout).map(([, thing]) => thing)).toEqual(['/notes.txt', '/Reports'])
  const twice = await world.run('ls', ['-', '--from', '-'], {input: '/Reports\n'})
  expect(twice.code).toBe(2)
  expect(twice.stderr).toRead()
})
