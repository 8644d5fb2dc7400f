import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {runHere} from '../../support/here.js'
import {missingTerminal, startAtTerminal} from '../../support/terminal.js'
import {startWorld, type World} from '../../support/world.js'

/** What fingers type by themselves: flags of ls, du and tree, and globs. */

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

/** The first columns of what a command writes. */
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

  test('-1 writes paths alone in a pipe, and -lh sizes as people read them', async () => {
    expect((await world.run('ls -1 /photos/2026')).stdout).toBe('/photos/2026/deep.jpg\n')
    expect((await world.run('ls -lh /photos/b.jpg')).stdout).toContain('\t2.9 KiB\t')
    const [row] = (await world.run('ls -lh /photos/b.jpg --json')).json<unknown[]>()
    expect(row).toMatchObject({title: 'b.jpg'})
    expect(JSON.stringify(row)).toMatch(/"fileSize":"?3000/)
  })

  test.each([
    [['--limit', 'x'], '--limit must be a whole number'],
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

  test('-h stays a number for programs', async () => {
    const rows = (await world.run('du -sh /photos --json')).json<unknown[]>()
    expect(rows).toMatchObject([{size: 3214}])
  })
})
