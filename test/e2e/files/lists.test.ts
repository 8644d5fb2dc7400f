import {afterAll, beforeAll, expect, test} from 'vitest'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'

let world: World
beforeAll(async () => {
  world = await startWorld({}, runHere)
  const top = await world.make('lists', 'root')
  for (const title of ['a', 'b', 'c']) await world.make(title, top, title)
})
afterAll(() => world.close())

const described = async () =>
  (await world.drv('ls', '/lists', '--columns', 'title,description')) as unknown[]

test.each(['patch', 'update'])('files %s takes the lines of standard input', async verb => {
  const args = ['--description', verb]
  const {code} = await world.run(`files ${verb} -`, args, {input: '/lists/a\n/lists/b\n'})
  expect(code).toBe(0)
  expect(await described()).toEqual([
    {title: 'a', description: verb},
    {title: 'b', description: verb},
    expect.objectContaining({title: 'c'}),
  ])
})

test('files patch accepts globs', async () => {
  const {code} = await world.run('files patch', ['/lists/[ab]', '--description', 'glob'])
  expect(code).toBe(0)
  expect((await described()).slice(0, 2)).toEqual([
    {title: 'a', description: 'glob'},
    {title: 'b', description: 'glob'},
  ])
})

test.each(['files update -', 'files patch -', 'files update /lists/*'])(
  '%s with one content is refused with the command that does it',
  async line => {
    const path = world.file('new.txt', 'new')
    const {code, stderr} = await world.run(line, [path], {input: '/lists/a\n'})
    expect(code).toBe(2)
    expect(stderr).toRead()
  },
)

test('--fail-fast counts what was not started', async () => {
  const args = ['/nope', '/lists/a', '/lists/b', '--fail-fast', '--concurrency', '1']
  const {code, stderr} = await world.run('files touch', args)
  expect(code).toBe(9)
  expect(stderr).toRead()
})

test('a push in which everything fails says so', async () => {
  const {code, stderr} = await world.run('push', [world.file('a', 'other'), '/lists/a/b'])
  expect(code).not.toBe(0)
  expect(stderr).toRead()
})

test('with --limit, there is no notice about more results', async () => {
  expect(await world.run('files list --limit 2')).toMatchObject({code: 0, stderr: ''})
})

test('a CSV with semicolons, or without a file column, gets a hint', async () => {
  const semicolons = world.file('s.csv', 'file;who;role\n/lists/a;ada@example.com;reader\n')
  const first = await world.run('share', ['--from', semicolons])
  expect(first.code).toBe(2)
  expect(first.stderr.replaceAll(world.folder, '/work')).toRead()
  const none = world.file('n.csv', 'who,role\nada@example.com,reader\n')
  const second = await world.run('share', ['--from', none])
  expect(second.code).toBe(2)
  expect(second.stderr.replaceAll(world.folder, '/work')).toRead()
})
