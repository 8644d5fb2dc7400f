import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {runHere} from '../../support/here.js'
import {missingTerminal, startAtTerminal} from '../../support/terminal.js'
import {startWorld, type World} from '../../support/world.js'

/** Habits from other tools: flags of ls, du and tree, and globs. */

let world: World
let photos: string
beforeAll(async () => {
  world = await startWorld({}, runHere)
  photos = await world.make('photos', 'root')
  const inner = await world.make('2026', photos)
  await world.make('deep.jpg', inner, 'deep')
  for (const [title, size, day] of [
    ['b.jpg', 3000, '2026-01-02'],
    ['a.jpg', 10, '2026-01-03'],
    ['c.txt', 200, '2026-01-01'],
  ] as const) {
    const id = await world.make(title, photos, 'x'.repeat(size))
    await world.drv('files patch', id, '--set-modified-date', '--modified-date', `${day}T00:00:00Z`)
  }
})
afterAll(() => world.close())

/** The first column of the output of a command. */
async function first(command: string, ...args: string[]) {
  const {code, stdout, stderr} = await world.run(command, args)
  if (code !== 0) throw new Error(stderr)
  return stdout
    .split('\n')
    .filter(Boolean)
    .map(line => line.split('\t')[0]!.replace('/photos/', ''))
}

describe('ls', () => {
  test.each<[string[], string[]]>([
    [['/photos'], ['2026', 'a.jpg', 'b.jpg', 'c.txt']],
    [
      ['-t', '/photos'],
      ['2026', 'a.jpg', 'b.jpg', 'c.txt'],
    ],
    [
      ['-S', '/photos'],
      ['b.jpg', 'c.txt', 'a.jpg', '2026'],
    ],
    [
      ['-Sr', '/photos'],
      ['2026', 'a.jpg', 'c.txt', 'b.jpg'],
    ],
    [
      ['-lt', '/photos'],
      ['2026', 'a.jpg', 'b.jpg', 'c.txt'],
    ],
    [
      ['-ltr', '/photos'],
      ['c.txt', 'b.jpg', 'a.jpg', '2026'],
    ],
    [
      ['-r', '/photos'],
      ['c.txt', 'b.jpg', 'a.jpg', '2026'],
    ],
    [
      ['--sort', 'size', '--limit', '2', '/photos'],
      ['b.jpg', 'c.txt'],
    ],
    [['--sort', 'created', '--reverse', '-L1', '/photos'], ['2026']],
    [
      ['--sort', 'name', '/photos'],
      ['2026', 'a.jpg', 'b.jpg', 'c.txt'],
    ],
    [
      ['-d', '/photos', '/photos/a.jpg'],
      ['/photos', 'a.jpg'],
    ],
    [['-d'], ['/']],
    [
      ['-1', '/photos'],
      ['2026', 'a.jpg', 'b.jpg', 'c.txt'],
    ],
    [
      ['-R', '-S', '/photos'],
      ['b.jpg', 'c.txt', 'a.jpg', '2026', '2026/deep.jpg'],
    ],
  ])('%j', async (args, expected) => {
    expect(await first('ls', ...args)).toEqual(expected)
  })

  test('-1 prints only paths in a pipe, and -lh human-readable sizes', async () => {
    expect((await world.run('ls -1 /photos/2026')).stdout).toBe('/photos/2026/deep.jpg\n')
    expect((await world.run('ls -lh /photos/b.jpg')).stdout).toContain('\t2.9 KiB\t')
    const [row] = (await world.run('ls -lh /photos/b.jpg --json')).json<unknown[]>()
    expect(row).toMatchObject({title: 'b.jpg'})
    expect(JSON.stringify(row)).toMatch(/"fileSize":"?3000/)
  })

  test.each([
    [['--limit', 'x'], 'Invalid --limit'],
    [['--sort', 'age'], '--sort'],
  ])('%j is refused', async (args, words) => {
    const {code, stderr} = await world.run('ls', args)
    expect(code).toBe(2)
    expect(stderr).toContain(words)
  })

  test.skipIf(missingTerminal)('-1 at a terminal', async () => {
    const {ended, output} = startAtTerminal(['ls', '-1', '/photos'], {
      env: {...world.env, NO_COLOR: '1'},
    })
    expect(await ended).toBe(0)
    expect(output().replaceAll('\r\n', '\n')).toBe('2026/\na.jpg\nb.jpg\nc.txt\n')
  })
})

describe('du and tree', () => {
  test.each<[string, string[], string[]]>([
    ['du', ['-s', '/photos'], ['3214']],
    ['du', ['-sh', '/photos'], ['3.1 KiB']],
    ['du', ['-h', '-d', '0', '/photos'], ['3.1 KiB']],
    ['du', ['--max-depth', '0', '/photos', '/photos/2026'], ['3214', '4']],
    ['tree', ['-L', '1', '/photos'], ['2026', 'a.jpg', 'b.jpg', 'c.txt']],
    ['tree', ['--max-depth=2', '/photos'], ['2026', '2026/deep.jpg', 'a.jpg', 'b.jpg', 'c.txt']],
  ])('%s %j', async (command, args, expected) => {
    expect(await first(command, ...args)).toEqual(expected)
  })

  test('-h keeps numbers in JSON', async () => {
    const rows = (await world.run('du -sh /photos --json')).json<unknown[]>()
    expect(rows).toMatchObject([{size: 3214}])
  })
})

describe('globs', () => {
  let globs: string
  beforeAll(async () => {
    globs = await world.make('globs', 'root')
    for (const title of [
      'a1.jpg',
      'a2.jpg',
      'b [x].txt',
      'b x.txt',
      '*.star',
      'q.star',
      'twin',
      'twin',
    ]) {
      await world.make(title, globs, title)
    }
    for (const year of ['2025', '2026']) {
      const folder = await world.make(year, globs)
      await world.make('report.txt', folder, 'report')
      await world.make('x.tmp', folder, 'tmp')
    }
  })

  test.each<[string[], string[]]>([
    [['/globs/*.jpg'], ['/globs/a1.jpg', '/globs/a2.jpg']],
    [
      ['/globs/a?.jpg', '/globs/q.*'],
      ['/globs/a1.jpg', '/globs/a2.jpg', '/globs/q.star'],
    ],
    [['/globs/[ab]1.jpg'], ['/globs/a1.jpg']],
    // A title that equals the glob matches literally.
    [['/globs/b [x].txt'], ['/globs/b [x].txt']],
    [['/globs/*.star'], ['/globs/*.star']],
    [['/globs/?.star'], ['/globs/*.star', '/globs/q.star']],
    [['/globs/\\*.star'], ['/globs/*.star']],
    [['/globs/202*/report.txt'], ['/globs/2025/report.txt', '/globs/2026/report.txt']],
    [['/glo*/*/*.tmp'], ['/globs/2025/x.tmp', '/globs/2026/x.tmp']],
    [
      ['-d', '/globs/202*'],
      ['/globs/2025', '/globs/2026'],
    ],
    [
      ['-d', '/globs/*/'],
      ['/globs/2025', '/globs/2026'],
    ],
    [
      ['-t', '/globs/a*.jpg', '-r'],
      ['/globs/a1.jpg', '/globs/a2.jpg'],
    ],
  ])('ls %j', async (args, expected) => {
    const {code, stdout, stderr} = await world.run('ls', args)
    expect([code, stderr]).toEqual([0, ''])
    expect(
      stdout
        .split('\n')
        .filter(Boolean)
        .map(line => line.split('\t')[0]),
    ).toEqual(expected)
  })

  test('below an ID, in a shared drive, and in the trash', async () => {
    const {id: driveId} = await world.drv('drives insert', '--name', 'Finance')
    await world.drv('files insert', '--title', 'p1.csv', '--parent', String(driveId))
    await world.drv('files trash', await world.make('old.bak', 'root', 'old'))
    expect(await first('ls', `${globs}/*.jpg`)).toEqual([`${globs}/a1.jpg`, `${globs}/a2.jpg`])
    expect(await first('ls', 'drive:Finance/*.csv')).toEqual(['drive:Finance/p1.csv'])
    expect(await first('ls', 'trash:/*.bak')).toEqual(['trash:/old.bak'])
  })

  test('ls needs a single list for a glob', async () => {
    const {stderr} = await world.run(`ls ${globs}/*.jpg --verbose`)
    // One request for the folder, one for the list.
    expect(stderr.match(/^(GET|POST) http/gm)).toHaveLength(2)
    const {stderr: top} = await world.run('ls /*.nothing --verbose')
    expect(top.match(/^(GET|POST) http/gm)).toHaveLength(1)
  })

  test('items with the same name are passed by their IDs', async () => {
    const rows = await first('ls', '/globs/tw*')
    expect(rows).toHaveLength(2)
    expect(rows.every(path => path.startsWith('id:'))).toBe(true)
  })

  test('a glob without matches is an error, and nothing is done', async () => {
    for (const command of ['ls', 'rm', 'stat', 'share', 'files get']) {
      const {code, stdout, stderr} = await world.run(command, ['/globs/a1.jpg', '/globs/*.zip'])
      expect([command, code, stdout]).toEqual([command, 5, ''])
      expect(stderr).toBe(
        "Error: Nothing matches /globs/*.zip.\nRun `drv ls '/globs'` to list the folder; names are case-sensitive.\n",
      )
    }
    expect((await world.run('ls /globs/a1.jpg')).code).toBe(0)
  })

  test('lines of standard input are not expanded', async () => {
    const {code, stdout} = await world.run('ls', ['-'], {input: '/globs/*.star\n'})
    expect([code, stdout.split('\t')[0]]).toEqual([0, '/globs/*.star'])
  })

  test('cp, mv, share, stat, pull and rm accept globs', async () => {
    const from = await world.make('from', 'root')
    for (const title of ['a1.jpg', 'a2.jpg', 'q.star', 'x.tmp'])
      await world.make(title, from, title)
    await world.make('to', 'root')
    await world.run('cp', ['/from/a*.jpg', '/to'])
    expect(await first('ls', '-1', '/to')).toEqual(['/to/a1.jpg', '/to/a2.jpg'])
    await world.run('rm', ['/from/a?.jpg'])
    await world.run('mv', ['/to/a?.jpg', '/from'])
    const all = ['/from/a1.jpg', '/from/a2.jpg']
    expect(await first('ls', '/from/a*')).toEqual(all)
    await world.run('share', ['/from/a*.jpg', 'ann@example.com', '--no-notify'])
    expect(await first('find', '/from', '--shared-with', 'ann@example.com')).toEqual(all)
    await world.run('unshare', ['/from/a*.jpg', 'ann@example.com', '--yes'])
    expect(await first('find', '/from', '--shared-with', 'ann@example.com')).toEqual([])
    expect(await first('stat', '/from/a*.jpg')).toEqual(all)
    expect((await world.run('pull', ['/f*/*.tmp', '-'])).stdout).toBe('x.tmp')
    await world.run('rm', ['/from/*.tmp'])
    expect(await first('find', '/from', '--name', '*.tmp')).toEqual([])
    await world.run('files untrash', ['trash:/x.t*'])
    expect(await first('find', '/from', '--name', '*.tmp')).toEqual(['/from/x.tmp'])
  })
})

describe('everyday names', () => {
  test('of columns', async () => {
    const rows = (await world.run('ls /photos/b.jpg --columns name,size,owner,path --json')).json()
    expect(rows).toMatchObject([{title: 'b.jpg', path: '/photos/b.jpg'}])
    expect(Object.keys((rows as object[])[0]!)).toContain('ownerNames')
    expect((await world.run('stat /photos/b.jpg --columns size,modified')).stdout).toBe(
      '3000\t2026-01-02T00:00:00.000Z\n',
    )
    expect((await world.run('find b.jpg --columns name,path')).stdout).toBe(
      'b.jpg\t/photos/b.jpg\n',
    )
    expect((await world.run('du -s /photos --columns path,size')).stdout).toBe('/photos\t3214\n')
    const {code, stderr} = await world.run('ls --columns nmae')
    expect(code).toBe(2)
    expect(stderr).toRead()
  })

  test('of fields and times in searches', async () => {
    const search = "name = 'b.jpg' and modified < '30d' and owner = 'me'"
    const {stdout} = await world.run('files list', ['--q', search, '--columns', 'name'])
    expect(stdout).toBe('b.jpg\n')
  })

  test('of future times', async () => {
    const id = await world.make('expiring.txt', 'root', 'x')
    const given = ['--role', 'reader', '--type', 'user', '--value', 'ann@example.com']
    await world.drv('permissions insert', id, ...given)
    const {expirationDate} = await world.drv(
      'permissions patch',
      id,
      'ann@example.com',
      '--expiration-date',
      '30d',
    )
    const days = (Date.parse(String(expirationDate)) - Date.now()) / 86_400_000
    expect(Math.round(days)).toBe(30)
  })
})
