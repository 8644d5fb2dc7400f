import {existsSync, readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterEach, beforeEach, expect, test} from 'vitest'
import {runHere} from '../../support/here.js'
import {startRecorder} from '../../support/recorder.js'
import {startWorld, type World} from '../../support/world.js'

let world: World
beforeEach(async () => {
  world = await startWorld({}, runHere)
})
afterEach(() => world.close())

interface Run {
  readonly id: string
  readonly command: string
  readonly changes: number
  readonly state: string
}
const runs = (): Promise<Run[]> => world.drv('history')

test('an upload that another process completes belongs to the command that completed it', async () => {
  const path = world.file('large.bin', Buffer.alloc(40 * 1024 * 1024, 'x'))
  const transfers = join(world.env.XDG_STATE_HOME!, 'drv/transfers')
  const hasSession = () =>
    existsSync(transfers) &&
    readdirSync(transfers).some(
      name =>
        name.endsWith('.json') && readFileSync(join(transfers, name), 'utf8').includes('"session"'),
    )
  const ending = {signal: 'SIGKILL', when: hasSession} as const
  await world.run('files insert', [path, '--limit-rate', '8M'], {ending})
  expect(await runs()).toMatchObject([{state: 'unknown', changes: 1}])

  const resumed = await world.run('transfers resume')
  expect(resumed.code, resumed.stderr).toBe(0)
  const [newest, oldest] = await runs()
  expect(newest).toMatchObject({command: 'drv transfers resume', state: 'done', changes: 1})
  expect(oldest).toBeUndefined()

  const [file] = await world.children('root')
  expect(file.title).toBe('large.bin')
  const undone = await world.run('undo', ['--yes'])
  expect(undone.code, undone.stderr).toBe(0)
  expect(await world.children('root')).toEqual([])
  expect(
    readFileSync(join(world.env.XDG_STATE_HOME!, `drv/history/${monthFile()}`), 'utf8'),
  ).not.toContain('upload_id')
})

function monthFile(): string {
  return readdirSync(join(world.env.XDG_STATE_HOME!, 'drv/history'))[0]!
}

test('no command sends more requests because of the history', async () => {
  const requests = async (command: string, args: string[], isRecorded: boolean) => {
    const more = ['--verbose', ...(isRecorded ? [] : ['--no-history'])]
    const {code, stderr} = await world.run(command, [...args, ...more])
    expect(code, stderr).toBe(0)
    return Number(/^(\d+) requests? in/m.exec(stderr)![1])
  }
  const source = world.file('small.txt', 'small')
  const commands: ReadonlyArray<readonly [string, (name: string) => string[]]> = [
    ['mkdir', name => [`/${name}`, `/${name} 2`]],
    ['push', name => [source, `/${name}/`]],
    ['cp', name => [`/${name}/small.txt`, `/${name}/copy.txt`]],
    ['mv', name => [`/${name}/copy.txt`, `/${name} 2/`]],
    ['rename', name => [`/${name}/small.txt`, 'renamed.txt']],
    ['star', name => [`/${name}/renamed.txt`, `/${name} 2/copy.txt`]],
    ['share', name => [`/${name}/renamed.txt`, 'ada@example.com']],
    ['unshare', name => [`/${name}/renamed.txt`, 'ada@example.com']],
    ['touch', name => [`/${name}/renamed.txt`, `/${name} 2/copy.txt`]],
    ['rm', name => [`/${name}`, `/${name} 2`]],
  ]
  for (const [command, args] of commands) {
    const without = await requests(command, args('without'), false)
    const recorded = await requests(command, args('recorded'), true)
    expect(recorded, command).toBeLessThanOrEqual(without)
  }
})

test('calls of another API are recorded for its service, and cannot be undone', async () => {
  const service = await startRecorder(() => ({body: {id: 'b1', title: 'A book'}}))
  const description = {
    ...{
      kind: 'discovery#restDescription',
      name: 'shelf',
      version: 'v1',
      revision: '1',
      id: 'shelf:v1',
    },
    ...{rootUrl: `${service.url}/`, servicePath: 'shelf/v1/', baseUrl: `${service.url}/shelf/v1/`},
    schemas: {Book: {id: 'Book', type: 'object', properties: {title: {type: 'string'}}}},
    resources: {
      books: {
        methods: {
          insert: {
            ...{id: 'shelf.books.insert', path: 'books', httpMethod: 'POST'},
            ...{request: {$ref: 'Book'}, response: {$ref: 'Book'}},
          },
        },
      },
    },
  }
  const file = world.file('shelf.json', JSON.stringify(description))
  const called = await world.run('api call', [
    ...['shelf.books.insert', '--body', '{"title":"A book"}', '--description', file, '--yes'],
  ])
  expect(called.code, called.stderr).toBe(0)
  const [run] = (await world.drv('history')) as Array<Run & {service: string}>
  expect(run).toMatchObject({service: service.url, changes: 1, state: 'done'})
  const [step] = await world.drv('history', '--steps')
  const reason = 'drv does not know how to reverse shelf.books.insert'
  expect(step).toMatchObject({undoable: false, reason})
  // The last command of the profile's own service is another one.
  expect((await world.run('undo', ['--yes'])).code).toBe(5)
})
