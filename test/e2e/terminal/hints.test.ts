import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'

/** Lines of users who know other tools, and the hints for them. */

let world: World
beforeAll(async () => {
  world = await startWorld({}, runHere)
  const folder = await world.make('tree', 'root')
  await world.make('a.txt', folder, 'one\n')
})
afterAll(() => world.close())

test.each([
  ['cp /a', 'DEST'],
  ['mv /a', 'DEST'],
  ['mv', 'SOURCE'],
  ['pull', 'REMOTE'],
  ['pull /a --delete', 'LOCAL'],
  ['push mt', 'REMOTE'],
  ['push', 'LOCAL'],
])('%s without %s names the missing argument', async (line, name) => {
  const {code, stderr} = await world.run(line)
  expect(code).toBe(2)
  expect(stderr).toMatch(new RegExp(`^Error: Missing ${name}: `))
})

test.each([
  ['ls tree', '/tree', 5],
  ['rm -- -dash', '/-dash', 5],
  ['stat 2026', '/2026', 5],
  ['cp tree /', '/tree', 5],
  ['cat x.csv', '/x.csv', 2],
  ['mkdir new', '/new', 2],
])('%s is corrected to a path with a slash', async (line, _, exit) => {
  const {code, stderr} = await world.run(line)
  expect(code).toBe(exit)
  expect(stderr).toRead()
  expect(stderr).not.toContain('scope')
})

describe('a missing folder', () => {
  test('is named, with a line that creates it', async () => {
    const {code, stderr} = await world.run('mv', ['/tree/a.txt', '/new dir/b.txt'])
    expect(code).toBe(5)
    expect(stderr).toRead()
    await world.run('mkdir', ['-p', '/new dir'])
    expect(await world.run('mv', ['/tree/a.txt', '/new dir/b.txt'])).toMatchObject({code: 0})
    expect((await world.run('cat', ['/new dir/b.txt'])).stdout).toBe('one\n')
  })

  test('is the target itself if there are several sources', async () => {
    const {stderr} = await world.run('cp', ['/tree', '/new dir', '/nowhere/else'])
    expect(stderr).toRead()
  })
})

describe('with --json', () => {
  test('standard error is one document with all notices', async () => {
    const {code, stdout, stderr} = await world.run('files touch', ['/tree', '/nope', '--json'])
    expect(code).toBe(9)
    expect(JSON.parse(stdout)).toHaveLength(2)
    const {error, notices} = JSON.parse(stderr)
    expect(error).toMatchObject({exit: 9})
    expect(notices).toHaveLength(1)
    expect(notices[0]).toRead()
  })

  test('it is empty on success', async () => {
    const done = await world.run('files touch', ['/tree', '/tree', '--json'])
    expect(done).toMatchObject({code: 0, stderr: ''})
  })

  test('ndjson with --jq prints one line per value', async () => {
    const lines = await world.run('find', ['/', '--format', 'ndjson', '--jq', '{id, title}'])
    const records = lines.stdout.trimEnd().split('\n')
    expect(records.map(line => JSON.parse(line).title)).toContain('tree')
  })
})

describe('words of other tools', () => {
  test.each([
    // Flags.
    ['files insert FILE --name x', 'drv files insert FILE --title x'],
    ['files list --sort name', 'drv files list --order-by title'],
    ['files list --sort=modified', 'drv files list --order-by=modifiedDate'],
    ['find / --mime image/png', 'drv find / --type image/png'],
    ['ls / --csv', 'drv ls / --format csv'],
    ['cp /tree /copy --overwrite', 'drv cp /tree /copy --if-exists replace'],
    ['rm /tree --permanent -n', 'drv rm /tree --permanently -n'],
    ['pull /tree here --ignore *.tmp', "drv pull /tree here --exclude '*.tmp'"],
    ['files copy /tree --into /b', 'drv files copy /tree --parent /b'],
    ['stat -c %s /tree', 'drv stat --columns fileSize /tree'],
    ['files list --title x', `drv files list --q "title contains 'x'"`],
    ['ls / --q budget', 'drv find budget /'],
    ['ls --q=title="x"', `drv files list --q 'title="x"'`],
    ['ls / --type doc', 'drv find / --type doc'],
    // Values.
    ['ls / --format jsonl', 'drv ls / --format ndjson'],
    ['files list --order-by name', 'drv files list --order-by title'],
    [
      'permissions insert /tree --type everyone --role reader',
      'drv permissions insert /tree --type anyone --role reader',
    ],
    ['cp /tree /copy --if-exists overwrite', 'drv cp /tree /copy --if-exists replace'],
    // Fields.
    ['files list --fields items(name)', "drv files list --fields 'items(title)'"],
    [
      'revisions list /new --columns hash,mtime',
      'drv revisions list /new --columns md5Checksum,modifiedDate',
    ],
    ['stat / --columns=web-link', 'drv stat / --columns=alternateLink'],
    ['files patch / --body {"name":"x"}', `drv files patch / --body '{"title":"x"}'`],
  ])('%s', async (line, instead) => {
    const {code, stderr} = await world.run(line)
    expect(code).toBe(2)
    expect(stderr.split('\n')[1]).toBe(`Did you mean \`${instead}\`?`)
  })

  test('a query is shown with the suggested field, and that line works', async () => {
    const {code, stderr} = await world.run('files list', ['--q', "filename contains 'x'"])
    expect(code).toBe(2)
    expect(stderr).toContain(`Did you mean \`drv files list --q "title contains 'x'"\`?`)
    expect(await world.run('files list', ['--q', "title contains 'x'"])).toMatchObject({
      code: 0,
    })
  })

  test('a token in a flag gets a hint where to pass it', async () => {
    const {code, stderr} = await world.run('auth login --token abc')
    expect(code).toBe(2)
    expect(stderr).toRead()
    expect(stderr).not.toContain('abc')
  })

  test('hints exist for words that are not commands', async () => {
    expect((await world.run('--nope')).stderr).toRead()
    expect((await world.run('frobnicate a b')).stderr).toContain('frobnicate')
    expect((await world.run('-V')).stdout).toBe((await world.run('--version')).stdout)
  })
})

test('numbers are numbers in the records of everyday verbs, and strings in those of operations', async () => {
  const id = await world.make('sized.txt', 'root', 'x'.repeat(1234))
  for (const line of ['ls /', 'find / --name sized.txt', 'tree /', 'stat /sized.txt /tree']) {
    const filter = '[.. | .fileSize? // empty | select(. > 1000)]'
    const found = await world.run(line, ['--jq', filter])
    expect(JSON.parse(found.stdout), line).toEqual([1234])
  }
  const stat = await world.run('stat', [id, '--json'])
  expect(stat.json()).toMatchObject({fileSize: 1234, quotaBytesUsed: 1234})
  expect(await world.drv('files get', id)).toMatchObject({fileSize: '1234'})
  // Records used as input name the same items.
  const copy = await world.run('cp', [id, '/tree/sized.txt', '--json'])
  expect(copy.json()).toMatchObject({fileSize: 1234})
})
