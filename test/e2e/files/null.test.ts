import {afterAll, beforeAll, expect, test} from 'vitest'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'

let world: World
beforeAll(async () => {
  world = await startWorld({}, runHere)
  const top = await world.make('odd', 'root')
  for (const title of ['new\nline', 'tab\there', 'plain', ' blanks '])
    await world.make(title, top, 'x')
})
afterAll(() => world.close())

const PATHS = ['/odd/ blanks ', '/odd/new\nline', '/odd/plain', '/odd/tab\there']
/** Output that ends with NUL; elsewhere, names with line breaks are replaced by IDs. */
const namesIn = (text: string) =>
  text
    .split('\0')
    .slice(0, -1)
    .map(name => name.replace(/^id:.+/, PATHS[1]!))
    .sort()
const ended = (names: readonly string[]) => names.map(name => `${name}\0`).join('')

test.each(['find /odd --type f --null', 'find /odd --type file -0', 'ls -0 /odd'])(
  '%s ends each path with NUL',
  async line => {
    const {code, stdout} = await world.run(line)
    expect({code, paths: namesIn(stdout)}).toEqual({code: 0, paths: PATHS})
    expect(stdout.endsWith('\0')).toBe(true)
  },
)

test('commands read the output of find -0 with -0', async () => {
  const {stdout: input} = await world.run('find /odd --type f -0')
  const stat = await world.run('stat -0 - --json', [], {input})
  const titles = stat.json<any[]>().map(({result}) => `/odd/${result.title}`)
  expect(titles.sort()).toEqual(namesIn(input))
  const ids = await world.run('stat -0 - --format ids', [], {input})
  const checked = await world.run('ls -0 - --format ids', [], {input})
  expect(ids.stdout.split('\0')).toHaveLength(5)
  expect(checked.stdout.split('\0').sort()).toEqual(ids.stdout.split('\0').sort())
  const starred = await world.run('star -0 -', [], {input: ended(PATHS.slice(0, 2))})
  expect(starred.code).toBe(0)
  const found = await world.run('find /odd --starred -0')
  expect(namesIn(found.stdout)).toEqual(PATHS.slice(0, 2))
})

test('share reads them too', async () => {
  const input = ended(PATHS.slice(1, 3))
  const {code} = await world.run('share -0 - ada@example.com -q', [], {input})
  expect(code).toBe(0)
  const {stdout} = await world.run('find /odd --shared-with ada@example.com -0')
  expect(namesIn(stdout)).toEqual(PATHS.slice(1, 3))
})

test('--columns and --format take precedence', async () => {
  const {stdout} = await world.run('ls -0 /odd/plain --columns title,mimeType')
  expect(stdout).toBe('plain\0text/plain\0')
  const json = await world.run('ls -0 /odd --json')
  expect(json.json<any[]>()).toHaveLength(4)
})

test('input with NUL gets a hint if -0 is missing', async () => {
  const {code, stderr} = await world.run('stat -', [], {input: ended(PATHS)})
  expect(code).toBe(2)
  expect(stderr).toRead()
})
