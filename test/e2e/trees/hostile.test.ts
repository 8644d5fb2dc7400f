import {once} from 'node:events'
import {mkdirSync, writeFileSync} from 'node:fs'
import {createServer, type IncomingMessage} from 'node:http'
import type {AddressInfo} from 'node:net'
import {join} from 'node:path'
import {afterAll, afterEach, beforeAll, describe, expect, test} from 'vitest'
import {type Operation, operations, responseSchema} from '#lib/api/operations.js'
import {FOLDER_TYPE} from '#lib/api/wire.js'
import {commandLine} from '#lib/cli/run/verb-description.js'
import {freshEnvironment, temporaryFolder} from '../../support/drv.js'
import {runHere} from '../../support/here.js'

/** Malformed lists and IDs: reported in one sentence, after few requests. */

const MOST_REQUESTS = 40

type Answer = (request: IncomingMessage, url: URL, body: string) => unknown

let answer: Answer = () => ({})
let requests: string[] = []
const server = createServer(async (request, response) => {
  const url = new URL(request.url!, 'http://service')
  requests.push(`${request.method} ${url.pathname}`)
  let body = ''
  for await (const chunk of request) body += chunk
  const given = requests.length > 500 ? undefined : answer(request, url, body)
  response.writeHead(given === undefined ? 404 : 200, {'content-type': 'application/json'})
  response.end(typeof given === 'string' ? given : JSON.stringify(given ?? {}))
})
const home = temporaryFolder()

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(() => {
  requests = []
})
afterAll(() => {
  server.close()
  home.remove()
})

async function outcome(args: readonly string[], some: Answer, most = MOST_REQUESTS) {
  answer = some
  const {path, remove} = temporaryFolder()
  const env = {
    ...freshEnvironment(path),
    DRV_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    DRV_TOKEN: 'token',
  }
  const {code, stdout, stderr} = await runHere([...args, '--no-probe'], {env, cwd: home.path})
  remove()
  expect(stderr).not.toMatch(/Internal error|\bat .*\.(js|ts|cjs)\b/)
  expect(requests.length).toBeLessThanOrEqual(most)
  return {code, stdout, stderr}
}

const file = (id: string, more: object = {}) => ({
  kind: 'drive#file',
  id,
  title: id,
  mimeType: 'text/plain',
  fileSize: '3',
  ...more,
})
const folder = (id: string, more: object = {}) => file(id, {mimeType: FOLDER_TYPE, ...more})

/** Values in place of a list of records. */
const noLists: ReadonlyArray<readonly [name: string, items: unknown]> = [
  ['an object', {0: file('a')}],
  ['a text', 'abc'],
  ['a number', 5],
  ['true', true],
  ['a list with null', [null]],
  ['a list of texts', ['a']],
  ['a list of lists', [[file('a')]]],
]

const lists = operations.filter(operation => {
  const {items} = responseSchema(operation)?.properties ?? {}
  return items !== undefined
})

const callOf = (operation: Operation) => [
  ...commandLine(operation).split(' '),
  ...operation.parameterOrder.map(() => 'ID'),
]

describe.each(lists.map(operation => [commandLine(operation), operation] as const))(
  '%s',
  (_, operation) => {
    test('of an invalid list', async () => {
      for (const items of [{0: file('a')}, [null]]) {
        requests = []
        const {code, stdout, stderr} = await outcome(callOf(operation), () => ({items}))
        if (operation.id === 'files.list') expect(stderr).toRead()
        expect(code).toBe(8)
        expect(stdout).toBe('')
      }
    })

    test.runIf(operation.parameters.pageToken)('with pages that come again', async () => {
      for (const some of [['same'], ['a', 'b']]) {
        requests = []
        let page = 0
        const {code, stderr} = await outcome([...callOf(operation), '--all'], () => ({
          items: [file('a')],
          nextPageToken: some[page++ % some.length],
        }))
        expect(stderr).toRead()
        expect(code).toBe(8)
      }
    })

    test.runIf(operation.parameters.pageToken)('with an invalid token', async () => {
      const {code, stderr} = await outcome([...callOf(operation), '--all'], () => ({
        items: [file('a')],
        nextPageToken: {},
      }))
      expect(stderr).toRead()
      expect(code).toBe(8)
    })
  },
)

test.each([
  ['an odd kind', {kind: 'constructor', id: 'a'}],
  ['another odd kind', {kind: '__proto__', id: 'a'}],
  ['a kind that is no text', {kind: {}, id: 'a'}],
  ['fields of other types', {...file('a'), title: {}, fileSize: [], modifiedDate: 5, labels: null}],
])('a record with %s is printed', async (_, record) => {
  for (const format of ['table', 'tsv', 'ndjson']) {
    const {code, stdout, stderr} = await outcome(['files', 'list', '--format', format], () => ({
      items: [record],
    }))
    expect(stderr).toBe('')
    expect(code).toBe(0)
    expect(stdout).toContain('a')
  }
})

/** A service for starting a push: an empty folder, and IDs for new files. */
const pushing =
  (ids: Answer, more: Answer = () => undefined): Answer =>
  (request, url, body) => {
    if (url.pathname.endsWith('/generateIds')) return ids(request, url, body)
    const given = more(request, url, body)
    if (given !== undefined) return given
    if (url.pathname.endsWith('/files/TARGET')) return folder('TARGET')
    if (request.method === 'GET') return {items: []}
    return undefined
  }

function source(...names: readonly string[]): string {
  const {path} = temporaryFolder()
  for (const name of names) {
    mkdirSync(join(path, name, '..'), {recursive: true})
    writeFileSync(join(path, name), 'abc')
  }
  return path
}

describe('a push', () => {
  const place = source('one', 'two', 'three')

  test.each<[string, Answer]>([
    ['none', () => ({})],
    ['an empty list', () => ({ids: []})],
    ['something else', () => ({ids: {0: 'a'}})],
    ['numbers', () => ({ids: [1, 2, 3]})],
    ['empty texts', () => ({ids: ['', '', '']})],
    ['the same', () => ({ids: ['x', 'x', 'x']})],
    ['the same one each time', () => ({ids: ['x']})],
  ])('that gets %s as IDs for new files', async (_, ids) => {
    const {code, stderr} = await outcome(['push', `${place}/`, 'TARGET'], pushing(ids))
    expect(stderr).toMatch(
      /^Error: The service returned (no IDs for|the same ID for several) new files/m,
    )
    expect(code).toBe(8)
    expect(requests.filter(request => request.startsWith('POST'))).toEqual([])
  })

  test.each(noLists)('into a folder with %s in it', async (_, items) => {
    const {code, stderr} = await outcome(
      ['push', `${place}/`, 'TARGET'],
      pushing(
        () => ({ids: ['x', 'y', 'z']}),
        (_, url) => (url.pathname.endsWith('/files') ? {items} : undefined),
      ),
    )
    if (items === noLists[0]![1]) expect(stderr).toRead()
    expect(code).toBe(8)
  })
})

describe.each([
  ['push', ['push', `${source('one')}/`, 'TARGET']],
  ['pull', ['pull', 'TARGET', join(home.path, 'down')]],
  ['pull by path', ['pull', '/one/two/three', join(home.path, 'down')]],
])('%s', (_, args) => {
  test.each(noLists)('where a list is %s', async (_, items) => {
    const {code, stderr} = await outcome(args, (_, url) =>
      url.pathname.endsWith('/files') ? {items} : folder('TARGET'),
    )
    if (items === noLists[0]![1]) expect(stderr).toRead()
    expect(code).toBe(8)
  })

  test.each([[['same']], [['a', 'b']]])('where pages repeat: %j', async tokens => {
    let page = 0
    const {code, stderr} = await outcome(args, (_, url) =>
      url.pathname.endsWith('/files')
        ? {items: [], nextPageToken: tokens[page++ % tokens.length]}
        : folder('TARGET'),
    )
    expect(stderr).toRead()
    expect(code).toBe(8)
  })
})

describe.each([
  ['ls', ['ls', '/']],
  ['tree', ['tree', '/']],
  ['du', ['du', '/']],
  ['find', ['find', 'id:FOLDER']],
  ['pull', ['pull', 'FOLDER', join(home.path, 'endless')]],
  ['a path', ['stat', '/one/two']],
  ['a shared drive', ['stat', 'drive:X']],
  ['files list --all', ['files', 'list', '--all']],
])('%s', (name, args) => {
  const one = (url: URL) => (/\/files\/[^/]+$/.test(url.pathname) ? folder('FOLDER') : undefined)

  test('of empty pages, each with a new token, stops', async () => {
    const endless: Answer = (_, url) =>
      one(url) ?? {items: [], nextPageToken: `page ${requests.length}`}
    const {code, stdout, stderr} = await outcome(args, endless, 210)
    expect(stderr).toRead()
    expect([code, stdout]).toEqual([8, ''])
  })

  test.runIf(['tree', 'du', 'find', 'pull'].includes(name))(
    'of endlessly nested folders stops',
    async () => {
      const endless: Answer = (_, url) => {
        const [, parent = 'root'] =
          /'([^']*)' in parents/.exec(url.searchParams.get('q') ?? '') ?? []
        return one(url) ?? {items: [folder(`${requests.length}`, {parents: [{id: parent}]})]}
      }
      const {code, stderr} = await outcome(args, endless, 110)
      expect(stderr).toRead()
      expect(code).toBe(8)
    },
  )
})
