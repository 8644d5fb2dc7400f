import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'

/** What people type who know other tools, and the sentence that says which line does it. */

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
  ['pull /a', 'LOCAL'],
  ['push mt', 'REMOTE'],
  ['push', 'LOCAL'],
])('%s lacks %s', async (line, name) => {
  const {code, stderr} = await world.run(line)
  expect(code).toBe(2)
  expect(stderr).toMatch(new RegExp(`^Error: ${name} is missing: `))
})

test.each([
  ['ls tree', '/tree', 5],
  ['rm -- -dash', '/-dash', 5],
  ['stat 2026', '/2026', 5],
  ['cp tree /', '/tree', 5],
  ['cat x.csv', '/x.csv', 2],
  ['mkdir new', '/new', 2],
])('%s is told to start with a slash', async (line, path, exit) => {
  const {code, stderr} = await world.run(line)
  expect(code).toBe(exit)
  expect(stderr).toContain(`Remote paths start with a slash: ${path}`)
  expect(stderr).not.toContain('scope')
})

describe('a folder that is not there', () => {
  test('is named, and the line that makes it works', async () => {
    const {code, stderr} = await world.run('mv', ['/tree/a.txt', '/new dir/b.txt'])
    expect(code).toBe(5)
    expect(stderr).toContain("There is no folder /new dir.\n`drv mkdir -p '/new dir'` makes it.")
    await world.run('mkdir', ['-p', '/new dir'])
    expect(await world.run('mv', ['/tree/a.txt', '/new dir/b.txt'])).toMatchObject({code: 0})
    expect((await world.run('cat', ['/new dir/b.txt'])).stdout).toBe('one\n')
  })

  test('is the target itself where several things go there', async () => {
    const {stderr} = await world.run('cp', ['/tree', '/new dir', '/nowhere/else'])
    expect(stderr).toContain('`drv mkdir -p /nowhere/else` makes it.')
  })
})

describe('with --json', () => {
  test('standard error is one document, in which the notices stand', async () => {
    const {code, stdout, stderr} = await world.run('files touch', ['/tree', '/nope', '--json'])
    expect(code).toBe(9)
    expect(JSON.parse(stdout)).toHaveLength(2)
    expect(JSON.parse(stderr)).toMatchObject({
      error: {exit: 9},
      notices: [expect.stringMatching(/^1 done, 1 failed in /)],
    })
  })

  test('it is empty where all went well', async () => {
    const done = await world.run('files touch', ['/tree', '/tree', '--json'])
    expect(done).toMatchObject({code: 0, stderr: ''})
  })

  test('ndjson with --jq is a line for each value', async () => {
    const lines = await world.run('find', ['/', '--format', 'ndjson', '--jq', '{id, title}'])
    const records = lines.stdout.trimEnd().split('\n')
    expect(records.map(line => JSON.parse(line).title)).toContain('tree')
  })
})
