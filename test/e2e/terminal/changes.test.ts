import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {runHere} from '../../support/here.js'
import {screenOf} from '../../support/screen.js'
import {missingTerminal, startAtTerminal} from '../../support/terminal.js'
import {startWorld, type World} from '../../support/world.js'

let world: World
beforeAll(async () => {
  world = await startWorld({}, runHere)
})
afterAll(() => world.close())

/** Runs a command at a terminal of 24 lines with a pager that never exits. */
async function seen(...argv: readonly string[]) {
  const env = {...world.env, PAGER: 'sleep 1000'}
  const drv = startAtTerminal(argv, {env, rows: 24, columns: 200})
  const code = await drv.ended
  return {code, lines: screenOf(drv.output()).filter(line => line !== '')}
}

describe.skipIf(missingTerminal !== undefined)('a change at a terminal is one line', () => {
  test('of one item, with its ID', async () => {
    const top = await world.make('One', 'root')
    const report = world.file('report.pdf', 'x'.repeat(3800))
    const uploaded = await seen('files', 'insert', report, '--parent', '/One')
    const [{id}] = (await world.children(top)) as [{id: string}]
    const ada = 'ada@example.com'
    expect(uploaded).toEqual({code: 0, lines: [`Uploaded report.pdf (3.7 KiB) to /One  ${id}`]})
    for (const [line, ...texts] of [
      ['files patch /One/report.pdf --description y', `Updated /One/report.pdf  ${id}`],
      [`files touch ${id}`, `Touched report.pdf  ${id}`],
      ['mv /One/report.pdf /One/a.pdf', `Renamed /One/report.pdf to a.pdf  ${id}`],
      [`share /One ${ada}`, `Shared /One with ${ada} (reader; email sent)`],
      [`share /One ${ada}`, `Kept the role of ${ada} on /One (reader)`],
      [`unshare /One ${ada}`, `Stopped sharing /One with ${ada}`],
      [
        'rm /One/a.pdf',
        `Moved /One/a.pdf to the trash  ${id}`,
        'To restore it, run `drv restore /One/a.pdf`.',
      ],
      ['restore /One/a.pdf', `Restored a.pdf from the trash  ${id}`],
      [
        `files trash ${id}`,
        `Moved a.pdf to the trash  ${id}`,
        `To restore it, run \`drv restore ${id}\`.`,
      ],
      ['files untrash trash:/a.pdf', `Restored a.pdf from the trash  ${id}`],
      [`rm ${id} --permanently --yes`, `Deleted ${id}`],
    ]) {
      expect(await seen(...line!.split(' '))).toEqual({code: 0, lines: texts})
    }
    expect(await world.children(top)).toEqual([])
  })

  test.each(['files touch', 'touch', 'star', 'rm'])('of %s, where the ID is dim', async command => {
    const id = await world.make(`${command}.txt`, 'root', 'x')
    const env = {...world.env, NO_COLOR: '', TERM: 'xterm'}
    const drv = startAtTerminal([...command.split(' '), `/${command}.txt`], {env, columns: 200})
    expect(await drv.ended).toBe(0)
    expect(drv.output()).toContain(`  \x1b[2m${id}\x1b[22m`)
  })

  test('of several items, with a line for each failure', async () => {
    const top = await world.make('Several', 'root')
    for (const title of ['a', 'b', 'c']) await world.make(title, top, title)
    const to = await world.make('Archive', 'root')
    const paths = ['/Several/a', '/Several/b', '/Several/c']
    expect(await seen('mv', ...paths, '/Archive')).toEqual({
      ...{code: 0, lines: ['Moved 3 files to /Archive']},
    })
    expect(await world.children(to)).toHaveLength(3)
    expect(await seen('rm', '/Archive/a', '/Archive/b', '/Archive/none')).toMatchObject({
      code: 9,
      lines: expect.arrayContaining([
        'Moved 2 files to the trash',
        'To restore them, run `drv restore /Archive/a /Archive/b`.',
      ]),
    })
    expect(await world.children(to)).toHaveLength(1)
  })

  test('of sharing with anyone, with the link', async () => {
    const one = await world.make('Public one', 'root')
    const two = await world.make('Public', 'root')
    const linkTo = (id: string) => `${world.url}/open/${id}`
    expect(await seen('share', '/Public', '--public')).toEqual({
      ...{code: 0, lines: ['Shared /Public with anyone who has the link (reader)', linkTo(two)]},
    })
    const {lines} = await seen('share', '/Public one', '/Public', '--public', '--role', 'viewer')
    expect(lines).toEqual([
      ...['Shared /Public one with anyone who has the link (reader)', linkTo(one)],
      ...['Kept the role of anyone who has the link on /Public (reader)', linkTo(two)],
    ])
  })

  test('no pager opens for a whole record', async () => {
    await world.make('whole', 'root')
    const {code, lines} = await seen('files', 'touch', '/whole', '--format', 'table')
    expect(code).toBe(0)
    expect(lines.length).toBeGreaterThan(24)
  })
})

test('a dry run shows the changes, and with --verbose the requests', async () => {
  const tree = await world.make('Tree', 'root')
  const inner = await world.make('inner', tree)
  await world.make('a.txt', tree, 'x'.repeat(1024))
  const b = await world.make('b.txt', inner, 'x'.repeat(1024))
  await world.make('Target', 'root')
  for (const [command, argv, text] of [
    ['rm', ['/Tree'], 'Would move /Tree/ (2 files, 2.0 KiB) to the trash'],
    ['rm', [b], 'Would move b.txt (1.0 KiB) to the trash'],
    ['rm', ['/Tree', '--permanently'], 'Would permanently delete /Tree/ (2 files, 2.0 KiB)'],
    ['files trash', [tree], 'Would move Tree (2 files, 2.0 KiB) to the trash'],
    ['mv', ['/Tree', '/Target'], 'Would move /Tree/ (2 files, 2.0 KiB) to /Target'],
    ['cp', ['/Tree', '/Copy'], 'Would copy /Tree/ (2 files, 2.0 KiB) to /Copy'],
    ['mkdir', ['-p', '/New/folder'], 'Would create folder /New/folder'],
    ['files empty-trash', [], /^Would permanently delete everything in the trash/],
  ] as const) {
    const dry = await world.run(command, [...argv, '--dry-run'])
    expect(dry.code, dry.stderr).toBe(0)
    if (typeof text === 'string') expect(dry.stdout).toBe(`${text}\n`)
    else expect(dry.stdout).toMatch(text)
    expect(dry.stdout).not.toContain('http')
    const verbose = await world.run(command, [...argv, '--dry-run', '--verbose'])
    expect(verbose.stdout).toMatch(/^(POST|PATCH|DELETE) http/m)
  }
  const {stdout} = await world.run('rm', ['/Tree', '/Target', '--dry-run', '--json'])
  expect(JSON.parse(stdout)).toMatchObject([
    {action: 'files.trash', input: '/Tree', request: {method: 'POST'}},
    {action: 'files.trash', input: '/Target', request: {method: 'POST'}},
  ])
  const one = await world.run('rm', ['/Tree', '--dry-run', '--json'])
  expect(JSON.parse(one.stdout)).toMatchObject([{action: 'files.trash', input: '/Tree'}])
  expect((await world.run('rm', ['1notthere', '--dry-run'])).code).toBe(5)
  expect(await world.children(tree)).toHaveLength(2)
})
