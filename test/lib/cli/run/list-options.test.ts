import {describe, expect, test} from 'vitest'
import {selectedColumns} from '#lib/cli/output/columns.js'
import {ServiceError} from '#lib/client/errors.js'
import {outcomeOf} from '../../../parse/command.js'

const item = (id: string) => ({kind: 'drive#childReference', id})
const pages = [
  {kind: 'drive#childList', items: [item('1'), item('2')], nextPageToken: 'second'},
  {kind: 'drive#childList', items: [], nextPageToken: 'third'},
  {kind: 'drive#childList', items: [item('3'), item('4')]},
]

const list = (argv: readonly string[], some: Parameters<typeof outcomeOf>[2] = {pages}) =>
  outcomeOf('children list', ['FOLDER', ...argv], some)

describe('the number of listed entries', () => {
  test.each([
    ['one page', [], '1\n2\n', /--all or --limit N, or --page-token second for the next page/],
    ['all pages, empty ones among them', ['--all'], '1\n2\n3\n4\n', /^$/],
    ['as many as asked for', ['--limit', '3'], '1\n2\n3\n', /^$/],
    ['whole pages', ['--limit', '2'], '1\n2\n', /^$/],
    ['no more than there is', ['--limit', '9'], '1\n2\n3\n4\n', /^$/],
    ['quietly', ['--quiet'], '1\n2\n', /^$/],
  ])('%s', async (_, argv, stdout, stderr) => {
    const outcome = await list(argv)
    expect(outcome.stdout).toBe(stdout)
    expect(outcome.stderr).toMatch(stderr)
  })

  test('one page is fetched if one is requested', async () => {
    let fetched = 0
    async function* counted() {
      for (const page of pages) {
        fetched++
        yield page
      }
    }
    await list([], {pages: counted()})
    expect(fetched).toBe(1)
    fetched = 0
    await list(['--limit', '2'], {pages: counted()})
    expect(fetched).toBe(1)
  })
})

test('of all pages, the next one is requested while one is printed', async () => {
  const steps: string[] = []
  async function* slow() {
    for (const [index, page] of pages.entries()) {
      steps.push(`asked ${index}`)
      await new Promise(setImmediate)
      yield {
        ...page,
        get items() {
          steps.push(`read ${index}`)
          return page.items
        },
      }
    }
  }
  const {stdout} = await list(['--all'], {pages: slow()})
  expect(stdout).toBe('1\n2\n3\n4\n')
  expect(steps).toEqual(['asked 0', 'asked 1', 'read 0', 'asked 2', 'read 1', 'read 2'])
})

test('of all pages, those before a failure are printed', async () => {
  async function* broken() {
    yield pages[0]!
    throw new ServiceError(503, '', 'No')
  }
  const outcome = await list(['--all'], {pages: broken()})
  expect(outcome.stdout).toBe('1\n2\n')
  expect(outcome.error).toRead()
})

describe('as JSON', () => {
  test('one page is the response of the service', async () => {
    expect(JSON.parse((await list(['--json'])).stdout)).toEqual(pages[0])
  })

  test('all pages are one list without a next page', async () => {
    expect(JSON.parse((await list(['--json', '--all'])).stdout)).toEqual({
      kind: 'drive#childList',
      items: ['1', '2', '3', '4'].map(item),
    })
  })

  test('a list cut within a page has no next page token, which would skip entries', async () => {
    const {stdout} = await list(['--json', '--limit', '1'])
    expect(JSON.parse(stdout)).toEqual({kind: 'drive#childList', items: [item('1')]})
  })

  test('a list before a failure is complete, and names the next page', async () => {
    async function* failing() {
      yield pages[0]!
      throw new ServiceError(503, 'backendError', 'Not now')
    }
    const {stdout, exit} = await list(['--json', '--all'], {pages: failing()})
    expect(exit).toBe(8)
    expect(JSON.parse(stdout)).toMatchObject({items: ['1', '2'].map(item), nextPageToken: 'second'})
  })

  test('an immediate failure prints nothing', async () => {
    async function* failing(): AsyncGenerator<Record<string, unknown>> {
      yield* []
      throw new ServiceError(404, 'notFound', 'File not found')
    }
    const {stdout, exit} = await list(['--json', '--all'], {pages: failing()})
    expect(exit).toBe(5)
    expect(stdout).toBe('')
  })
})

test.each([[{a: 1}], [[item('1'), null]], [['text']]])('%j is not a list', async items => {
  const {error, exit, stdout} = await list([], {pages: [{items}]})
  expect(error).toRead()
  expect(exit).toBe(8)
  expect(stdout).toBe('')
})

test('a page without items is empty', async () => {
  expect(await list(['--json'], {pages: [{items: null}]})).toMatchObject({
    stdout: '{\n  "items": []\n}\n',
  })
})

test('changes end with the token for later changes', async () => {
  const changes = [{kind: 'drive#changeList', items: [], newStartPageToken: '42'}]
  const {stdout, stderr} = await outcomeOf('changes list', [], {pages: changes})
  expect(stdout).toBe('')
  expect(stderr).toRead()
})

test('lists without pages have no flags for them', async () => {
  const answers = {'parents.list': {items: [item('1'), item('2')]}}
  expect((await outcomeOf('parents list', ['ID'], {answers})).stdout).toBe('1\n2\n')
  expect((await outcomeOf('parents list', ['ID', '--all'])).error).toRead()
})

describe('columns of a selection', () => {
  test('of a single record', () => {
    expect(selectedColumns('title,labels(trashed)', 'record')).toEqual(['title', 'labels.trashed'])
    expect(selectedColumns(undefined, 'record')).toBeUndefined()
  })

  test.each([
    ['items(id,title)', ['id', 'title']],
    ['items/id,nextPageToken', ['id']],
    ['items(labels/trashed,parents(id))', ['labels.trashed', 'parents.id']],
    ['items', undefined],
    ['*', undefined],
    ['items(*)', undefined],
    ['nextPageToken', undefined],
    ['items(', undefined],
  ])('%s', (fields, columns) => {
    expect(selectedColumns(fields, 'list')).toEqual(columns)
  })

  test('include those that the first record lacks', async () => {
    const some = [{items: [{id: '1'}, {id: '2', parents: [{id: 'a'}, {id: 'b'}]}]}]
    const argv = ['--fields', 'items(id,parents/id)']
    expect((await outcomeOf('files list', argv, {pages: some})).stdout).toBe('1\t\n2\t["a","b"]\n')
  })
})

describe('an empty list', () => {
  test.each([
    ['files list', [], 'No files.\n'],
    ['permissions list', ['ID'], 'No permissions.\n'],
    ['files list-labels', ['ID'], 'No labels.\n'],
    ['files list', ['--quiet'], ''],
  ])('%s %j says so in a table', async (name, argv, stderr) => {
    const nothing = {pages: [{items: []}], answers: {'permissions.list': {items: []}}}
    const outcome = await outcomeOf(name, [...argv, '--format', 'table'], nothing)
    expect(outcome).toMatchObject({stdout: '', stderr})
  })

  test.each(['tsv', 'csv', 'json', 'ids'])('prints nothing in %s', async format => {
    const {stderr} = await outcomeOf('files list', ['--format', format], {pages: [{items: []}]})
    expect(stderr).toBe('')
  })

  test('has more results if the page is not the last', async () => {
    const more = [{items: [], nextPageToken: 't'}]
    const {stderr} = await outcomeOf('files list', ['--format', 'table'], {pages: more})
    expect(stderr).toRead()
  })
})
