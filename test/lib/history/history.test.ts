import {chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, onTestFinished, test} from 'vitest'
import {operation} from '#lib/api/operations.js'
import type {ParameterTexts} from '#lib/client/client.js'
import {NetworkError, ServiceError} from '#lib/client/errors.js'
import {openHistoryFile} from '#lib/history/file.js'
import type {HistoryLine} from '#lib/history/lines.js'
import {withListedFields} from '#lib/history/prefetch.js'
import {openHistoryReader} from '#lib/history/reader.js'
import {factsOf, recordedRequest, stateAfter, withFacts} from '#lib/history/request.js'
import {readHistoryStep, readRuns, stateOf} from '#lib/history/runs.js'
import {createSeenRecords} from '#lib/history/seen.js'
import {temporaryFolder} from '../../support/drv.js'

const NOW = Date.UTC(2026, 10, 15)

function folder(): string {
  const {path, remove} = temporaryFolder()
  onTestFinished(remove)
  return path
}

const start = (run: string, time = '2026-11-15T00:00:00.000Z') => ({
  ...{run, time, profile: 'local', service: 'local', command: `drv ${run}`, drv: '1.0.0'},
})
const step = (run: string, number: number, more: object = {}) => ({
  ...{run, step: number, operation: 'files.trash', params: {fileId: `${run}${number}`}},
  ...more,
})
const result = (run: string, number: number, state = 'done', more: object = {}) => ({
  ...{run, step: number, result: state as 'done'},
  ...more,
})

async function linesIn(directory: string): Promise<HistoryLine[]> {
  const all: HistoryLine[] = []
  const reader = openHistoryReader(directory)
  for await (const {line, at} of reader.lines()) {
    expect(reader.lineAt(at)).toEqual(line)
    all.push(line)
  }
  reader.close()
  return all
}

describe('the file', () => {
  test('has a name by month, and old ones are deleted', async () => {
    const directory = join(folder(), 'history')
    mkdirSync(directory, {mode: 0o700})
    for (const month of ['2026-06', '2026-08', '2026-10']) {
      writeFileSync(join(directory, `${month}.ndjson`), '', {mode: 0o600})
    }
    writeFileSync(join(directory, 'other.txt'), '')
    const file = await openHistoryFile(directory, {days: 90, now: NOW})
    file.append([start('a')])
    expect(readdirSync(directory).sort()).toEqual([
      ...['2026-08.ndjson', '2026-10.ndjson', '2026-11.ndjson', 'other.txt'],
    ])
    expect(await linesIn(directory)).toEqual([start('a')])
  })

  test('keeps complete lines beside incomplete and unknown ones', async () => {
    const directory = join(folder(), 'history')
    const first = await openHistoryFile(directory, {days: 90, now: NOW})
    first.append([start('a'), step('a', 1)])
    const path = join(directory, '2026-11.ndjson')
    writeFileSync(path, '{"run":"a","step":1,"res', {flag: 'a'})
    const second = await openHistoryFile(directory, {days: 90, now: NOW})
    second.append([start('b')])
    second.append([step('b', 1, {item: 'a\u2028b'})])
    writeFileSync(path, 'null\n[]\n{"run":5}\n{"run":"c","what":1}\n', {flag: 'a'})
    expect(await linesIn(directory)).toEqual([
      start('a'),
      step('a', 1),
      start('b'),
      step('b', 1, {item: 'a\u2028b'}),
    ])
  })

  test('has lines of any length, in the files of several months', async () => {
    const directory = join(folder(), 'history')
    mkdirSync(directory)
    // Longer than a read of the file, and than the usual line.
    const long = step('a', 1, {item: 'é'.repeat(100_000)})
    const lines = {
      '2026-09': [start('a'), long],
      '2026-10': [],
      '2026-11': [result('a', 1, 'done', {error: 'x'.repeat(5000)}), start('b')],
    }
    for (const [month, some] of Object.entries(lines)) {
      const text = some.map(line => JSON.stringify(line)).join('\n')
      // The last line of the last file has no end.
      writeFileSync(join(directory, `${month}.ndjson`), month === '2026-09' ? `${text}\n` : text)
    }
    expect(await linesIn(directory)).toEqual(Object.values(lines).flat())
    expect(await linesIn(join(directory, 'missing'))).toEqual([])
  })

  test('hides secrets', async () => {
    const directory = join(folder(), 'history')
    const hide = (text: string) => text.replaceAll('secret-token', '(secret)')
    const file = await openHistoryFile(directory, {days: 90, now: NOW, hide})
    file.append([{...start('a'), command: 'drv files insert --title secret-token'}])
    expect(readFileSync(join(directory, '2026-11.ndjson'), 'utf8')).not.toContain('secret-token')
  })

  test.skipIf(process.platform === 'win32')('is refused if others can read it', async () => {
    const directory = join(folder(), 'history')
    await openHistoryFile(directory, {days: 90, now: NOW})
    chmodSync(join(directory, '2026-11.ndjson'), 0o644)
    await expect(openHistoryFile(directory, {days: 90, now: NOW})).rejects.toRead()
  })
})

describe('runs', () => {
  const read = (...lines: object[]) =>
    readRuns(lines.map((line, at) => ({line: line as HistoryLine, at})))

  test('have the state of their steps', async () => {
    const runs = await read(
      ...[start('a'), step('a', 1), result('a', 1)],
      ...[start('b'), step('b', 1), result('b', 1), step('b', 2), result('b', 2, 'failed')],
      ...[start('c'), step('c', 1)],
      ...[start('d'), step('d', 1), result('d', 1, 'failed')],
      ...[start('e'), step('e', 1), result('e', 1, 'unsent')],
    )
    expect(runs.map(run => [run.run, run.steps.length, stateOf(run)])).toEqual([
      ['a', 1, 'done'],
      ['b', 2, 'partly failed'],
      ['c', 1, 'unknown'],
      ['d', 1, 'failed'],
      ['e', 0, 'done'],
    ])
  })

  test('are undone by later steps, unless these are undone too', async () => {
    const lines = [
      ...[start('a'), step('a', 1), result('a', 1)],
      ...[start('b'), step('b', 1, {undoes: 'a/1'}), result('b', 1)],
    ]
    expect((await read(...lines)).map(stateOf)).toEqual(['undone', 'done'])
    const again = [start('c'), step('c', 1, {undoes: 'b/1'}), result('c', 1)]
    expect((await read(...lines, ...again)).map(stateOf)).toEqual(['done', 'undone', 'done'])
    const failed = [start('c'), step('c', 1, {undoes: 'b/1'}), result('c', 1, 'failed')]
    expect((await read(...lines, ...failed)).map(stateOf)).toEqual(['undone', 'done', 'failed'])
  })

  test('leave out attempts that were repeated, but no repeated changes', async () => {
    const same = {params: {fileId: 'x'}}
    const [run] = await read(
      start('a'),
      ...[step('a', 1, same), result('a', 1, 'unknown'), step('a', 2, same), result('a', 2)],
      ...[step('a', 3, same), result('a', 3)],
    )
    expect([...run!.steps].map(({at, state}) => [at, state])).toEqual([
      [3, 'done'],
      [5, 'done'],
    ])
  })

  test.each([
    [['unknown', 'unsent'], ['unknown']],
    [
      ['unknown', 'failed'],
      ['unknown', 'failed'],
    ],
    [['unknown', 'unknown'], ['unknown']],
    [['failed', 'unknown'], ['unknown']],
    [['failed', 'failed'], ['failed']],
    [['failed', 'unsent'], ['failed']],
    [['unknown', 'unsent', 'done'], ['done']],
    [['unknown', 'failed', 'done'], ['done']],
    [
      ['unknown', 'failed', 'unsent'],
      ['unknown', 'failed'],
    ],
  ])('keep of the attempts of one change with the results %j: %j', async (states, left) => {
    const same = {params: {fileId: 'x'}}
    const attempts = states.flatMap((state, index) => [
      step('a', index, same),
      result('a', index, state),
    ])
    const [run] = await read(start('a'), ...attempts)
    expect([...run!.steps].map(({state}) => state)).toEqual(left)
  })

  test('own the content that they complete for another process', async () => {
    const runs = await read(
      ...[start('a'), step('a', 1, {operation: 'files.insert', hasContent: true})],
      {run: 'a', step: 1, session: 's'},
      start('b'),
      {run: 'b', session: 's'},
      {run: 'b', session: 's', result: 'done', record: {id: 'x'}},
    )
    expect(runs.map(({steps}) => [...steps].map(({at, state}) => [at, state]))).toEqual([
      [],
      [[1, 'done']],
    ])
  })

  test('have their steps in the order in which they were sent, whoever completed them', () => {
    const runs = read(
      ...[start('b'), step('b', 1), result('b', 1), start('a')],
      ...[step('a', 1), {run: 'a', step: 1, session: 's'}],
      ...[step('a', 2), {run: 'a', step: 2, session: 't'}, step('b', 2), result('b', 2)],
      ...['t', 's'].map(session => ({run: 'b', session, result: 'done'})),
    )
    expect([...runs[0]!.steps].map(({at}) => at)).toEqual([1, 4, 6, 8])
  })

  test('are undone by a run whose first line was lost', () => {
    const undo = [step('b', 1, {undoes: 'a/1'}), result('b', 1)]
    expect(read(start('a'), step('a', 1), result('a', 1), ...undo).map(stateOf)).toEqual(['undone'])
  })

  test('find results also if lines of steps are missing', () => {
    const [run] = read(start('a'), ...[3, 4, 7, 9].map(number => step('a', number)), result('a', 7))
    expect([...run!.steps].map(({state}) => state)).toEqual([
      ...['unknown', 'unknown', 'done', 'unknown'],
    ])
  })

  test('have steps that are read in full later', async () => {
    const lines = [
      ...[start('a'), step('a', 1), result('a', 1)],
      ...[start('b'), step('b', 1, {params: {fileId: 'y'}, body: {title: 't'}})],
      {run: 'b', step: 1, session: 's'},
      {...start('c')},
      {run: 'c', session: 's', result: 'done', record: {id: 'y'}, before: {title: 'u'}},
      step('c', 1, {undoes: 'a/1'}),
      result('c', 1),
    ] as HistoryLine[]
    const runs = await read(...lines)
    const stepsOf = (index: number) =>
      [...runs[index]!.steps].map(step => readHistoryStep({lineAt: at => lines[at]!}, step))
    expect(runs[2]!.steps.at(0)).toEqual({
      state: 'done',
      isUndone: false,
      at: 4,
      resultAt: 7,
    })
    expect(stepsOf(2)).toEqual([
      expect.objectContaining({
        ...{id: 'b/1', state: 'done', isUndone: false, params: {fileId: 'y'}},
        ...{body: {title: 't'}, before: {title: 'u'}, result: {id: 'y'}},
      }),
      expect.objectContaining({id: 'c/1', undoes: 'a/1'}),
    ])
    expect(stepsOf(0).map(({id, isUndone}) => [id, isUndone])).toEqual([['a/1', true]])
  })
})

describe('seen records', () => {
  const get = (fields?: string) =>
    ({id: 'files.get', input: {params: {fileId: 'x', ...(fields && {fields})}}}) as const

  test('are known as far as they were requested', () => {
    const seen = createSeenRecords()
    seen.saw(get('id,title,labels/trashed'), {id: 'x', title: 'a', labels: {trashed: false}})
    expect(seen.find(get('title'))).toEqual({title: 'a'})
    expect(seen.find(get('labels(trashed)'))).toEqual({labels: {trashed: false}})
    expect(seen.find(get('labels(starred)'))).toBeUndefined()
    expect(seen.find(get('title,description'))).toBeUndefined()
    // A requested field without a value is known to be missing.
    seen.saw(get('description'), {})
    expect(seen.find(get('title,description'))).toEqual({title: 'a'})
    seen.forget(get())
    expect(seen.find(get('title'))).toBeUndefined()
  })

  test('include the items of lists', () => {
    const seen = createSeenRecords()
    const list = {
      id: 'files.list',
      input: {params: {fields: 'nextPageToken,items(id,title)'}},
    } as const
    seen.saw(list, {nextPageToken: 'n', items: [{id: 'x', title: 'listed'}]})
    expect(seen.find(get('title'))).toEqual({title: 'listed'})
    expect(seen.find(get('parents'))).toBeUndefined()
  })

  test('include properties in the record of a file', () => {
    const seen = createSeenRecords()
    const listed = {id: 'properties.list', input: {params: {fileId: 'x', fields: 'items'}}} as const
    seen.saw(get('title'), {title: 'a'})
    expect(seen.find(listed)).toBeUndefined()
    const properties = [{key: 'a', value: 'b', visibility: 'PRIVATE'}]
    seen.saw(get('properties'), {properties})
    expect(seen.find(listed)).toEqual({items: properties})
    seen.saw(get('properties'), {})
    expect(seen.find(listed)).toEqual({items: []})
  })
})

describe('requests', () => {
  test('are recorded without content and private texts', () => {
    const upload = {open: () => Buffer.from('content'), size: 7}
    const params = {fileId: 'x', emailMessage: 'private'}
    const body = {title: 'a', indexableText: {text: 'private'}}
    expect(recordedRequest({id: 'files.update', input: {params, body, upload}})).toEqual({
      ...{params: {fileId: 'x'}, body: {title: 'a'}, hasContent: true},
    })
    expect(factsOf({id: 'x', etag: 'e', capabilities: {}, downloadUrl: 'secret'})).toEqual({
      ...{id: 'x', etag: 'e'},
    })
  })

  test.each([
    ['files.patch', 'title', 'title,id,etag'],
    ['files.patch', 'id,etag,title', 'id,etag,title'],
    ['files.patch', '*', '*'],
    ['files.patch', undefined, undefined],
    ['files.patch', 'title(', 'title('],
    ['drives.update', 'name', 'name,id'],
    ['parents.insert', 'id', 'id'],
  ] as const)('%s with the fields %s request %s', (id, fields, wanted) => {
    const params: ParameterTexts = fields === undefined ? {} : {fields}
    expect(withFacts(operation(id), {params}).params).toEqual(
      wanted === undefined ? {} : {fields: wanted},
    )
  })

  test.each([
    ['files.insert', {}, 'title,id,etag'],
    ['files.update', {fileId: 'x'}, 'title,id,etag,headRevisionId'],
  ] as const)(
    '%s of content requests a revision only of an existing file',
    (id, params, wanted) => {
      const upload = {open: () => Buffer.from('content')}
      const input = withFacts(operation(id), {params: {...params, fields: 'title'}, upload})
      expect(input.params.fields).toBe(wanted)
    },
  )

  test.each([
    ['nextPageToken,items(id,labels/trashed)', ',items(labels(starred),description)'],
    ['items(id,labels,description)', ''],
    ['items(id,description)', ',items(labels(starred))'],
    ['nextPageToken', ''],
    ['', ''],
  ])('a list with the fields %s also selects%s', (fields, added) => {
    const replaced = ['id,labels(starred),etag', 'id,description,etag']
    const input = withListedFields({params: {fields}}, replaced)
    expect(input.params.fields).toBe(fields + added)
  })

  test.each([
    [new ServiceError(404, 'notFound', 'No.'), 'failed'],
    [new ServiceError(503, '', 'Later.'), 'unknown'],
    [new NetworkError('Reset.', 'http://x', {cause: {code: 'ECONNRESET'}}), 'unknown'],
    [new NetworkError('Refused.', 'http://x', {cause: {code: 'ECONNREFUSED'}}), 'unsent'],
    [new Error('anything'), 'unknown'],
  ])('%s leaves a step %s', (error, state) => expect(stateAfter(error)).toBe(state))
})
