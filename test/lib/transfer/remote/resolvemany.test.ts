import {describe, expect, test} from 'vitest'
import {NetworkError, ServiceError} from '#lib/client/errors.js'
import {parseRemotePath} from '#lib/transfer/remote/remote-path.js'
import {findRemotePath, findRemotePaths, type Located} from '#lib/transfer/remote/resolve.js'
import type {ResolveCandidate} from '#lib/transfer/remote/resolve-error.js'
import {fakeClient, type FakeFile, FOLDER} from './client.js'

type Options = Parameters<typeof fakeClient>[1]

const root: FakeFile = {id: 'root', title: 'My Drive', parent: '', mimeType: FOLDER}
const folder = (id: string, title: string, parent = 'root', driveId?: string): FakeFile => ({
  id,
  title,
  parent,
  mimeType: FOLDER,
  ...(driveId !== undefined && {driveId}),
})
const range = <T>(count: number, make: (n: number) => T) =>
  Array.from({length: count}, (_, n) => make(n))

function world(files: readonly FakeFile[], options?: Options) {
  const {client, asked, counts} = fakeClient(files, options)
  return {
    client,
    asked,
    counts,
    find: (paths: readonly string[], choose?: Parameters<typeof findRemotePaths>[2]) =>
      findRemotePaths(client, paths.map(parseRemotePath), choose),
  }
}

/** IDs, and the messages of errors. */
function told(results: readonly Located[]): string[] {
  return results.map(result => {
    if ('found' in result) return result.found.entry.id
    const {message, hint} = result.error as Error & {hint?: string}
    return [message, hint].join(' ')
  })
}

const flat = range(1000, n => ({id: `f${n}`, title: `report ${n}.pdf`, parent: 'a'}))
const spread = [
  ...range(5, n => folder(`y${n}`, `${2020 + n}`, 'a')),
  ...range(50, n => folder(`m${n}`, `month ${Math.floor(n / 5)}`, `y${n % 5}`)),
  ...range(1000, n => ({id: `f${n}`, title: `report ${n}.pdf`, parent: `m${n % 50}`})),
]
const spreadPath = (n: number) =>
  `/Reports/${2020 + ((n % 50) % 5)}/month ${Math.floor((n % 50) / 5)}/report ${n}.pdf`
const projects = range(1000, n => [
  folder(`p${n}`, `project ${n}`),
  {id: `r${n}`, title: 'README.md', parent: `p${n}`},
]).flat()
const namesakes = range(5000, n => ({
  id: `o${n}`,
  title: `report ${n % 1000}.pdf`,
  parent: 'other',
}))
const inDrive = [
  folder('d', 'Finance', '', 'd'),
  folder('da', 'Reports', 'd', 'd'),
  ...range(1000, n => ({id: `s${n}`, title: `report ${n}.pdf`, parent: 'da', driveId: 'd'})),
]

const a = folder('a', 'Reports')
const inA = range(1000, n => `/Reports/report ${n}.pdf`)
const trashed = range(1000, n => ({
  id: `t${n}`,
  title: `t ${n}`,
  parent: 'gone',
  labels: {trashed: true},
}))
const CHECK = 'Check the path (names are case-sensitive), or use the ID.'
const missing = (n: number) => {
  const hint = n < 20 ? `Did you mean "report ${n}.pdf"? Names are case-sensitive.` : CHECK
  return `There is no "repotr ${n}.pdf" in /Reports. ${hint}`
}

interface Case {
  readonly what: string
  readonly files: readonly FakeFile[]
  readonly paths: readonly string[]
  readonly prefix?: string
  readonly results?: (n: number) => string
  readonly requests: number
  readonly options?: Options
}

const cases: readonly Case[] = [
  {what: 'in one folder', files: [a, ...flat], paths: inA, requests: 2},
  {what: 'in fifty folders', files: [a, ...spread], paths: range(1000, spreadPath), requests: 2},
  {
    what: 'in fifty folders, in pages of 10',
    files: [a, ...spread],
    paths: range(1000, spreadPath),
    options: {pageSize: 10},
    requests: 14,
  },
  {
    what: 'of one name, in as many folders',
    files: projects,
    paths: range(1000, n => `/project ${n}/README.md`),
    prefix: 'r',
    requests: 4,
  },
  {what: 'with namesakes', files: [a, ...flat, ...namesakes], paths: inA, requests: 2},
  {
    what: 'with namesakes, in pages of 100',
    files: [a, ...flat, ...namesakes],
    paths: inA,
    options: {pageSize: 100},
    requests: 4,
  },
  {
    what: 'in a folder named by its ID',
    files: [a, ...flat],
    paths: range(1000, n => `a/report ${n}.pdf`),
    requests: 2,
  },
  {
    what: 'at a service that tells no folders',
    files: [a, ...flat],
    paths: inA,
    options: {hasParents: false},
    requests: 4,
  },
  {
    what: 'in a shared drive',
    files: inDrive,
    paths: range(1000, n => `drive:Finance/Reports/report ${n}.pdf`),
    prefix: 's',
    options: {drives: [{id: 'd', name: 'Finance'}]},
    requests: 2,
  },
  {
    what: 'in the trash',
    files: trashed,
    paths: range(1000, n => `trash:/t ${n}`),
    prefix: 't',
    requests: 2,
  },
  {
    what: 'that are one and the same',
    files: [a, ...flat],
    paths: range(1000, () => '/Reports/report 7.pdf'),
    results: () => 'f7',
    requests: 2,
  },
  {
    what: 'that are not there',
    files: [a, ...flat],
    paths: range(1000, n => `/Reports/repotr ${n}.pdf`),
    results: missing,
    requests: 3,
  },
  {
    what: 'at a service without batches',
    files: [a, ...flat],
    paths: inA,
    options: {hasBatches: false},
    requests: 23,
  },
]

describe('a thousand paths take few requests', () => {
  test.each(cases)('$what', async given => {
    const {files, paths, prefix = 'f', results = n => `${prefix}${n}`, requests, options} = given
    const {find, counts} = world([root, ...files], options)
    expect(told(await find(paths))).toEqual(range(1000, results))
    expect(counts.requests).toBe(requests)
  })
})

test('no URL is longer than allowed in a batch, whatever the names contain', async () => {
  const name = (n: number) => `${n} ${'報告'.repeat(20)} "it's" \\ & 100%`
  const files = range(200, n => ({id: `f${n}`, title: name(n), parent: 'a'}))
  const {client, asked} = fakeClient([root, a, ...files])
  const lengths: number[] = []
  const measured: typeof client = {
    ...client,
    async batch(calls) {
      for (const {input} of calls) {
        lengths.push(String(new URLSearchParams(input.params as Record<string, string>)).length)
      }
      return client.batch(calls)
    },
  }
  const places = files.map(({title}) => parseRemotePath(`/Reports/${title}`))
  expect(told(await findRemotePaths(measured, places))).toEqual(files.map(({id}) => id))
  expect(Math.max(...lengths)).toBeLessThan(7000)
  expect(asked.map(({id, size}) => [id, size])).toEqual([
    ['files.get', undefined],
    ...asked.slice(1).map(({size}) => ['batch', size]),
  ])
})

describe('paths resolve as they do alone', () => {
  const names = ["it's", 'a\\b', ' blank ', 'Case', 'case', 'x', 'y', 'z.txt', 'é', 'e\u0301']

  /** Numbers from 0 to 1, the same in each run. */
  function random(seed: number): () => number {
    let state = seed
    return () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0
      return state / 2 ** 32
    }
  }

  test.each(
    range(12, n => ({
      seed: n + 1,
      options: [{}, {pageSize: 7}, {hasBatches: false}, {hasParents: n % 8 !== 7, pageSize: 3}][
        n % 4
      ]!,
    })),
  )('in a tree made with the seed $seed', async ({seed, options}) => {
    const next = random(seed)
    const one = <T>(from: readonly T[]) => from[Math.floor(next() * from.length)]!
    const starts = [root, folder('d', 'Finance', '', 'd'), folder('e', 'Shared', '')]
    const files: FakeFile[] = [...starts]
    for (const n of range(120, index => index)) {
      const above = one(files.filter(({mimeType}) => mimeType === FOLDER))
      files.push({
        id: `n${n}`,
        title: one(names),
        parent: above.id,
        ...(next() < 0.6 && {mimeType: FOLDER}),
        ...(above.driveId !== undefined && {driveId: above.driveId}),
        ...(next() < 0.05 && {labels: {trashed: true}}),
      })
    }
    const begins = ['', 'drive:Finance', 'drive:Nothing', 'e', 'n3', 'nobody', 'trash:', 'shared:']
    const paths = range(150, () =>
      [one(begins), ...range(1 + Math.floor(next() * 3), () => one(names))].join('/'),
    )
    const drives = [{id: 'd', name: 'Finance'}]
    const {client, find} = world(files, {drives, ...options})
    const alone: Located[] = []
    for (const path of paths) {
      alone.push(
        await findRemotePath(client, parseRemotePath(path)).then(
          found => ({found}),
          (error: unknown) => ({error}),
        ),
      )
    }
    const withoutHints = (results: readonly Located[]) =>
      results.map(result =>
        'found' in result ? result : [(result.error as Error).message, candidatesOf(result.error)],
      )
    expect(alone.filter(result => 'found' in result).length).toBeGreaterThan(5)
    expect(withoutHints(await find(paths))).toEqual(withoutHints(alone))
  })

  function candidatesOf(error: unknown): unknown {
    return (error as {candidates?: readonly ResolveCandidate[]}).candidates
  }
})

describe('an ambiguity shared by several paths', () => {
  const twins = [
    root,
    folder('a1', 'a'),
    folder('a2', 'a'),
    folder('b1', 'b'),
    folder('b2', 'b'),
    ...range(3, n => ({id: `x${n}`, title: `x${n}`, parent: 'a2'})),
    {id: 'y', title: 'y', parent: 'b2'},
    {id: 'z', title: 'z', parent: 'root'},
  ]
  const paths = ['/a/x0', '/b/y', '/a/x1', '/z', '/a/x2', '/nothing']

  test('is asked once, and never two at the same time', async () => {
    const ways: string[] = []
    let open = 0
    const results = await world(twins).find(paths, async (way, candidates) => {
      ways.push(way)
      expect(++open).toBe(1)
      await new Promise(resolve => setImmediate(resolve))
      open -= 1
      return candidates[1]!
    })
    expect(told(results)).toEqual([
      'x0',
      'y',
      'x1',
      'z',
      'x2',
      `There is no "nothing" in /. ${CHECK}`,
    ])
    expect(ways).toEqual(['/a', '/b'])
  })

  test('is an error for each of them without a terminal', async () => {
    const results = await world(twins).find(paths)
    const kinds = results.map(result =>
      'error' in result ? (result.error as {kind?: string}).kind : 'found',
    )
    expect(kinds).toEqual(['ambiguous', 'ambiguous', 'ambiguous', 'found', 'ambiguous', 'missing'])
  })

  test('is not asked again once a prompt was canceled', async () => {
    let questions = 0
    const finding = world(twins).find(paths, async () => {
      questions += 1
      throw new Error('left')
    })
    await expect(finding).rejects.toThrow('left')
    expect(questions).toBe(1)
  })
})

describe('faults', () => {
  const busy = new ServiceError(429, 'rateLimitExceeded', 'Slow down.')
  const broken = new ServiceError(503, 'backendError', 'Try again.')
  const stale = new ServiceError(401, 'authError', 'Invalid Credentials')

  test('of parts of a batch are retried, only those parts', async () => {
    let calls = 0
    const fault = ({id}: {id: string}, size: number) => {
      if (id !== 'files.list' || size === 1) return undefined
      return [busy, undefined, broken][calls++ % 3]
    }
    const {find, asked} = world([root, a, ...flat], {fault})
    expect(told(await find(inA))).toEqual(range(1000, n => `f${n}`))
    expect(asked.map(({size = 1}) => size)).toEqual([1, 21, 14, 9, 6, 4, 3, 2, 1])
  })

  test('that remain are the error of the paths they belong to', async () => {
    const forbidden = new ServiceError(403, 'forbidden', 'Not yours.')
    const fault = ({input}: {input: {params: Readonly<Record<string, unknown>>}}) =>
      String(input.params.q).includes("'report 999.pdf'") ? forbidden : undefined
    const results = await world([root, a, ...flat], {fault}).find(inA)
    expect(results.findIndex(result => 'error' in result)).toBeGreaterThan(900)
    expect(results[999]).toEqual({error: forbidden})
  })

  test.each([
    ['a refused token', stale],
    ['a network that is gone', new NetworkError('No network.', 'https://example.com')],
  ])('%s ends all, after one request', async (_, error) => {
    for (const hasBatches of [true, false]) {
      const {find, counts} = world([root, a, ...flat], {fault: () => error, hasBatches})
      await expect(find(inA)).rejects.toBe(error)
      expect(counts.requests).toBe(1)
    }
  })
})
