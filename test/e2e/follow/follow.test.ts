import {existsSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'

let world: World
let root: string
beforeAll(async () => {
  world = await startWorld({}, runHere)
  root = (await world.drv('files get', 'root')).id
})
afterAll(() => world.close())

let count = 0
/** A follower of a new folder, which has seen what is there. */
async function startFollower() {
  count += 1
  const title = `folder-${count}`
  const id = await world.make(title, root)
  const args = [`/${title}`, '--once', '--checkpoint', join(world.folder, `${title}.jsonl`)]
  const run = (...more: string[]) => world.run('follow', [...args, ...more])
  const next = async (...more: string[]) => {
    const {code, stdout, stderr} = await run(...more, '--format', 'ndjson', '--quiet')
    expect({code, stderr}).toEqual({code: 0, stderr: ''})
    const rows = stdout.split('\n').filter(Boolean)
    return rows.map(row => JSON.parse(row) as Record<string, any>)
  }
  return {title, id, file: args[3]!, run, next}
}

const short = (rows: readonly Record<string, any>[]) =>
  rows.map(({kind, path, from}) => [kind, path, ...(from === undefined ? [] : [from])])

test('each run prints what changed since the last one, with its kind', async () => {
  const {title, id, next} = await startFollower()
  const inside = `/${title}`
  const other = await world.make(`other-${title}`, root)
  const outside = `/other-${title}`
  expect(await next()).toEqual([])
  const file = await world.make('a.txt', id, 'content')
  const [created] = await next()
  expect(created).toEqual({
    time: expect.stringMatching(/^\d{4}-.*Z$/) as string,
    kind: 'created',
    path: `${inside}/a.txt`,
    who: 'local@example.com',
    size: 7,
    id: file,
    title: 'a.txt',
    mimeType: 'text/plain',
    changeId: expect.stringMatching(/^\d+$/) as string,
  })
  expect(await next()).toEqual([])
  const [a, b] = [`${inside}/a.txt`, `${inside}/b.txt`]
  const steps: ReadonlyArray<readonly [string, readonly string[], readonly string[]]> = [
    ['rename', [a, 'b.txt'], ['renamed', b, a]],
    ['files touch', [b], ['metadata', b]],
    ['files update', [b, world.file('new', 'new content')], ['content', b]],
    ['share', [b, 'anyone'], ['shared', b]],
    ['unshare', [b, 'anyone', '--yes'], ['unshared', b]],
    ['mv', [b, outside], ['moved', `${outside}/b.txt`, b]],
    ['rename', [`${outside}/b.txt`, 'c.txt'], []],
    ['mv', [`${outside}/c.txt`, inside], ['moved', `${inside}/c.txt`, `${outside}/c.txt`]],
    ['mv', [`${inside}/c.txt`, a], ['renamed', a, `${inside}/c.txt`]],
    ['rm', [a], ['trashed', `trash:${a}`, a]],
    ['restore', [`trash:/a.txt`], ['restored', a, `trash:${a}`]],
    ['files delete', [a, '--yes'], ['removed', a]],
  ]
  for (const [command, args, row] of steps) {
    const result = await world.run(command, args)
    expect({command, code: result.code}, result.stderr).toEqual({command, code: 0})
    expect([command, short(await next())]).toEqual([command, row.length > 0 ? [row] : []])
  }
  // A folder that comes with its contents is one change, and what is in it is known from then on.
  const inner = await world.make('inner', other)
  await world.make('deep.txt', inner, 'deep')
  expect(await next()).toEqual([])
  await world.run('mv', [`${outside}/inner`, inside])
  expect(short(await next())).toEqual([['moved', `${inside}/inner`, `${outside}/inner`]])
  await world.run('rename', [`${inside}/inner/deep.txt`, 'deeper.txt'])
  expect(short(await next())).toEqual([
    ['renamed', `${inside}/inner/deeper.txt`, `${inside}/inner/deep.txt`],
  ])
  await world.run('mv', [`${inside}/inner`, outside])
  expect(short(await next())).toEqual([['moved', `${outside}/inner`, `${inside}/inner`]])
  await world.run('rename', [`${outside}/inner/deeper.txt`, 'deepest.txt'])
  expect(await next()).toEqual([])
})

test('kinds are chosen, and several changes at once are one', async () => {
  const {title, id, next} = await startFollower()
  await next()
  await world.make('a.txt', id, 'a')
  await world.make('b.txt', id, 'b')
  await world.run('mv', [`/${title}/a.txt`, `/${title}/c.txt`])
  expect(short(await next('--kind', 'renamed,trashed', '--kind', 'removed'))).toEqual([])
  await world.run('mv', [`/${title}/c.txt`, '/elsewhere.txt'])
  await world.run('rm', [`/${title}/b.txt`])
  expect(short(await next('--kind', 'renamed,removed'))).toEqual([
    ['moved,renamed', '/elsewhere.txt', `/${title}/c.txt`],
  ])
  const wrong = await world.run('follow', ['--kind', 'deleted'])
  expect(wrong.code).toBe(2)
  expect(wrong.stderr).toRead()
})

test('what happened since a time or a token, in each format', async () => {
  const {id, title} = await startFollower()
  const {startPageToken} = await world.drv('changes get-start-page-token')
  await world.make('a.txt', id, 'a')
  const path = `/${title}/a.txt`
  const rows = async (...args: string[]) => (await world.run('follow --once', args)).stdout
  expect(await rows('--since', startPageToken)).toMatch(
    new RegExp(`^\\S+Z\tchanged|created\t${path}\tlocal@example.com\t1\n$`),
  )
  expect(await rows('--since', '1h', `/${title}`)).toMatch(
    new RegExp(`^.*\tcreated\t/${title}\t.*\n.*\tcreated\t${path}\t.*\n$`),
  )
  expect(await rows('--since', '2020-01-01', `/${title}`, '--kind', 'trashed', '--json')).toBe(
    '[]\n',
  )
  expect(await rows('--since', startPageToken, '--format', 'ids')).toMatch(/^\S+\n$/)
  expect(await rows('--since', startPageToken, '--format', 'table')).toMatch(
    new RegExp(`^TIME +KIND +SIZE +BY +PATH\n\\S+ \\S+  \\w+ +1 B  local@.* +${path}\n$`),
  )
  expect(JSON.parse(await rows('--since', startPageToken, '--json'))).toHaveLength(1)
  expect(await rows('--since', startPageToken, '--columns', 'kind,title')).toMatch(/\ta\.txt\n$/)
})

test.each([
  ['several words', 'last week'],
  ['a misspelled word', 'yesterdya'],
  ['a wrong month', '2026-13-01'],
  ['a wrong unit', '12x'],
  ['a token to come', '999999'],
  ['a time to come', '2100-01-01'],
])('--since with %s is refused before anything runs', async (_, since) => {
  const {file, run} = await startFollower()
  const refused = await run('--since', since, '--exec', 'echo ran')
  expect(refused).toMatchObject({code: 2, stdout: ''})
  expect(refused.stderr).toRead()
  // Also with a checkpoint, which takes precedence over it.
  await run()
  expect(readFileSync(file, 'utf8')).toContain('beginning')
  const {code} = await run('--since', since)
  expect(code).toBe(since === '999999' ? 0 : 2)
})

test('an expired page token makes it list the items and print what differs', async () => {
  const {id, title, file, run, next} = await startFollower()
  const kept = await world.make('kept.txt', id, 'kept')
  await world.make('gone.txt', id, 'gone')
  await world.make('same.txt', id, 'same')
  await next()
  await world.run('rename', [kept, 'renamed.txt'])
  await world.run('files delete', [`/${title}/gone.txt`, '--yes'])
  await world.make('new.txt', id, 'new')
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, text.replaceAll(/"token":"\d+"/g, '"token":"999999"'))
  const {code, stdout, stderr} = await run('--format', 'ndjson')
  expect(code).toBe(0)
  expect(stderr).toRead()
  const rows = stdout.split('\n').filter(Boolean)
  expect(short(rows.map(row => JSON.parse(row)))).toEqual([
    ['renamed', `/${title}/renamed.txt`, `/${title}/kept.txt`],
    ['created', `/${title}/new.txt`],
    ['removed', `/${title}/gone.txt`],
  ])
  expect(await next()).toEqual([])
})

test('a command runs for each change, with the change as input and in variables', async () => {
  const {id, title, run} = await startFollower()
  await run()
  const names = ['plain.txt', 'two words.txt', '$(touch pwned) `touch pwned`; "\'&.txt', '-n']
  for (const name of names) await world.make(name, id, name)
  const out = join(world.folder, `${title}.out`)
  const script = world.file(
    `${title}.sh`,
    `printf '%s|%s|%s|%s|' "$1" "$DRV_CHANGE_KIND" "$DRV_CHANGE_TITLE" "$DRV_CHANGE_SIZE" >> '${out}'; cat >> '${out}'`,
  )
  const before = readFileSync(join(world.folder, `${title}.jsonl`))
  expect(await run('--exec', `sh ${script} {}`)).toMatchObject({code: 0, stderr: ''})
  const lines = readFileSync(out, 'utf8').split('\n').filter(Boolean)
  expect(lines.map(line => line.split('|').slice(0, 4))).toEqual(
    names.map(name => [`/${title}/${name}`, 'created', name, String(name.length)]),
  )
  const last = JSON.parse(lines[0]!.split('|').slice(4).join('|')) as object
  expect(last).toMatchObject({kind: 'created', path: `/${title}/plain.txt`})

  // The same with a shell: names are never part of the line.
  writeFileSync(join(world.folder, `${title}.jsonl`), before)
  writeFileSync(out, '')
  const line = `echo "$1 $DRV_CHANGE_PATH" >> '${out}'`
  expect(await run('--shell', '--exec', line)).toMatchObject({code: 0, stderr: ''})
  expect(readFileSync(out, 'utf8')).toBe(
    names.map(name => `/${title}/${name} /${title}/${name}\n`).join(''),
  )
  expect(existsSync(join(world.folder, 'pwned'))).toBe(false)
  expect((await run('--shell', '--exec', 'echo {}')).stderr).toRead()
  expect((await run('--exec', "echo 'x")).stderr).toRead()
})

test('a failing command ends it with its status; what it was for comes again', async () => {
  const {id, title, run, next} = await startFollower()
  await run()
  for (const name of ['1', '2', '3']) await world.make(name, id, name)
  const line = `test "$DRV_CHANGE_TITLE" != 2 || exit 7`
  const failed = await run('--shell', '--exec', line, '--retries', '0')
  expect(failed.code).toBe(7)
  expect(failed.stderr.replaceAll(title, 'folder')).toRead()
  expect(short(await next())).toEqual([
    ['created', `/${title}/2`],
    ['created', `/${title}/3`],
  ])
  await world.run('rename', [`/${title}/2`, '4'])
  const missing = await run('--exec', 'no-such-command {}')
  expect(missing.code).toBe(1)
  expect(missing.stderr).toRead()
  const going = await run('--shell', '--exec', 'exit 3', '--retries', '0', '--keep-going')
  expect(going.code).toBe(9)
  expect(going.stderr.replaceAll(title, 'folder')).toRead()
  expect(await next()).toEqual([])
})

test('a batch is one run for all changes', async () => {
  const {id, title, run} = await startFollower()
  await run()
  for (const name of ['1', '2', '3']) await world.make(name, id, name)
  const out = join(world.folder, `${title}.out`)
  const script = world.file(`${title}.sh`, `echo "$DRV_CHANGE_COUNT $@" >> '${out}'`)
  const result = await run('--exec', `sh ${script} --do {}`, '--batch', '60')
  expect(result).toMatchObject({code: 0, stderr: ''})
  expect(readFileSync(out, 'utf8')).toBe(`3 --do /${title}/1 /${title}/2 /${title}/3\n`)
})

test('once without a start says why it prints nothing', async () => {
  const {run} = await startFollower()
  const first = await run()
  expect(first).toMatchObject({code: 0, stdout: ''})
  expect(first.stderr).toRead()
  expect(await run()).toMatchObject({code: 0, stdout: '', stderr: ''})
  const useless = await world.run('follow --once')
  expect(useless).toMatchObject({code: 0, stdout: ''})
  expect(useless.stderr).toRead()
})

test('progress is kept for these paths in the state directory', async () => {
  const {id, title} = await startFollower()
  const follow = (...args: string[]) => world.run('follow --once --resume', args)
  expect(await follow(`/${title}`)).toMatchObject({code: 0, stdout: ''})
  expect(await follow()).toMatchObject({code: 0, stdout: ''})
  await world.make('a.txt', id, 'a')
  expect((await follow(`/${title}`)).stdout).toContain('\tcreated\t')
  expect((await follow(`/${title}`)).stdout).toBe('')
  expect((await follow()).stdout).toContain(`/${title}/a.txt`)
  expect((await follow()).stdout).toBe('')
})

test('a checkpoint of other paths is refused', async () => {
  const {file, run} = await startFollower()
  await run()
  const wrong = await world.run('follow --once', ['/', '--checkpoint', file])
  expect(wrong.code).toBe(2)
  expect(
    wrong.stderr.replaceAll(/\/\S*\/(?=folder)|127\.\S+/g, '').replaceAll(/\d+/g, '1'),
  ).toRead()
})

test('a service whose clock is behind: new files are created, others moved', async () => {
  const behind = await startWorld({clock: () => Date.now() - 3_600_000}, runHere)
  try {
    const top = (await behind.drv('files get', 'root')).id as string
    const inside = await behind.make('in', top)
    await behind.make('old.txt', top, 'old')
    const next = async () => {
      const args = ['/in', '--checkpoint', join(behind.folder, 'checkpoint'), '--quiet']
      const {stdout} = await behind.run('follow --once --columns kind,path', args)
      return stdout.split('\n').filter(Boolean)
    }
    expect(await next()).toEqual([])
    await behind.make('new.txt', inside, 'new')
    await behind.run('mv /old.txt /in')
    expect(await next()).toEqual(['created\t/in/new.txt', 'moved\t/in/old.txt'])
    await behind.make('newer.txt', inside, 'newer')
    expect(await next()).toEqual(['created\t/in/newer.txt'])
  } finally {
    await behind.close()
  }
})
