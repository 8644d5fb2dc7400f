import {afterAll, beforeAll, beforeEach, describe, expect, test} from 'vitest'
import {readFaultPlan} from '#lib/service/faults/read.js'
import {runHere} from '../../support/here.js'
import {missingTerminal, startAtTerminal} from '../../support/terminal.js'
import {startWorld, type World} from '../../support/world.js'

/** Results at a terminal, as users see them. */

let world: World
let folder: string
beforeAll(async () => {
  world = await startWorld({}, runHere)
  folder = await world.make('Reports', 'root')
  await world.make('q3.txt', folder, 'content')
  for (let number = 10; number < 24; number++) await world.make(`file ${number}.txt`, 'root', 'x')
})
afterAll(() => world.close())

describe('at a terminal', () => {
  beforeEach(({skip}) => skip(missingTerminal !== undefined, missingTerminal))

  const list = ['files', 'list', '--order-by', 'title']

  async function seen(
    words: readonly string[],
    env: Readonly<Record<string, string>>,
    size: {columns?: number; rows?: number} = {},
  ) {
    const {ended, output} = startAtTerminal(words, {env: {...world.env, ...env}, ...size})
    expect(await ended).toBe(0)
    return output().replaceAll('\r\n', '\n')
  }

  const pager = {DRV_PAGER: 'sed s/^/read:/', NO_COLOR: '1'}

  test('results longer than the screen are paged', async () => {
    const text = await seen(list, pager, {rows: 10})
    expect(text.match(/^read:/gm)).toHaveLength(17)
    expect(text).toMatch(/^read:TITLE +KIND +SIZE +MODIFIED/)
  })

  test('so are records and the description', async () => {
    expect(await seen(['files', 'get', folder], pager, {rows: 10})).toMatch(
      /^read:title +Reports\n/,
    )
    expect(await seen(['api', 'describe'], pager, {rows: 10})).toMatch(/^read:/)
  })

  test('PAGER is used if DRV_PAGER is not set', async () => {
    const text = await seen(list, {PAGER: 'tr a-z A-Z', NO_COLOR: '1'}, {rows: 10})
    expect(text).toContain('FILE 23.TXT')
  })

  test.each<[string[], Record<string, string>, number]>([
    [[], pager, 20],
    [['--no-pager'], pager, 10],
    [[], {...pager, DRV_NO_PAGER: '1'}, 10],
    [[], {...pager, DRV_PAGER: ''}, 10],
    [[], {...pager, DRV_PAGER: 'cat'}, 10],
    [[], {...pager, TERM: 'dumb'}, 10],
    [[], {...pager, DRV_PAGER: 'no-such-pager'}, 10],
  ])('%j with %j is not paged on %i lines', async (flags, env, rows) => {
    const text = await seen([...list, ...flags], env, {rows})
    expect(text).toMatch(/^TITLE .*\nfile 10\.txt .*\n/)
    expect(text).toMatch(/\nReports .*\n$/)
    expect(text).not.toContain('read:')
  })

  test('notices come after the pager', async () => {
    const text = await seen([...list, '--max-results', '12'], pager, {rows: 10})
    expect(text).toRead()
  })

  test('q quits less', async () => {
    const {PATH = ''} = process.env
    const terminal = startAtTerminal(list, {env: {...world.env, PATH}, rows: 10})
    await terminal.shows(/TITLE[^]*file 15/)
    terminal.type('q')
    expect(await terminal.ended).toBe(0)
    expect(terminal.output()).not.toContain('file 23')
  })

  test('Ctrl-C in the pager ends everything', async () => {
    const {PATH = ''} = process.env
    const terminal = startAtTerminal(list, {env: {...world.env, PATH}, rows: 10})
    await terminal.shows(/TITLE[^]*file 15/)
    terminal.type('\u0003')
    expect(await terminal.ended).toBe(130)
  })

  test('quitting the pager stops the requests', async () => {
    const rules = [{operations: 'files.list', fault: 'slow', bytesPerSecond: 1, calls: [2]}]
    const slow = await startWorld({faults: readFaultPlan(JSON.stringify({rules}))}, runHere)
    try {
      for (let number = 10; number < 24; number++) await slow.make(`f${number}`, 'root', 'x')
      const env = {...slow.env, DRV_PAGER: 'head -n 1', NO_COLOR: '1'}
      const words = ['files', 'list', '--all', '--max-results', '12']
      const {ended, output} = startAtTerminal(words, {env, rows: 10})
      expect(await ended).toBe(0)
      expect(output()).toMatch(/^TITLE[^\n]*\n$/)
    } finally {
      await slow.close()
    }
  })

  test.each<[string[], Record<string, string>, boolean]>([
    [[], {NO_COLOR: ''}, true],
    [['--no-color'], {NO_COLOR: ''}, false],
    [[], {NO_COLOR: '1'}, false],
    [[], {NO_COLOR: '', DRV_NO_COLOR: '1'}, false],
    [[], {TERM: 'dumb', FORCE_COLOR: '1'}, false],
  ])('%j with %j has colors: %j', async (flags, env, isColoured) => {
    const text = await seen([...list, ...flags], {...env, DRV_PAGER: ''})
    expect(text.includes('\u001b[34mReports\u001b[39m')).toBe(isColoured)
    expect(text.includes('\u001b')).toBe(isColoured)
  })

  test.each([
    ['tsv', ['--format', 'tsv']],
    ['csv', ['--format', 'csv']],
    ['ids', ['--format', 'ids', '--columns', 'title']],
    ['jq', ['--jq', '.title']],
    ['table', []],
  ])('control characters in a name are removed in %s', async (_, words) => {
    const hostile = await startWorld({}, runHere)
    try {
      const title = 'a\u001b[2J\u001b]0;owned\u0007\u009b31m\u202eb'
      const id = await hostile.make(title, 'root', 'x')
      const line = ['files', 'get', id, '--fields', 'title', ...words]
      const text = await seen(line, {...hostile.env, DRV_PAGER: ''})
      expect(text).toMatch(/a[^\n]*b/)
      expect(text).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e]/)
      const piped = await hostile.run(line.join(' '))
      if (words.length > 0) expect(piped.stdout).toContain(title)
    } finally {
      await hostile.close()
    }
  })

  describe('TERM=dumb prompts without escape sequences', () => {
    let own: World
    beforeAll(async () => {
      own = await startWorld({}, runHere)
    })
    afterAll(() => own.close())

    async function asked(words: readonly string[], question: RegExp, answer: string) {
      const env = {...own.env, TERM: 'dumb'}
      const terminal = startAtTerminal(words, {env})
      await terminal.shows(question)
      terminal.type(answer)
      const code = await terminal.ended
      expect(terminal.output()).not.toContain('\u001b')
      return {code, output: terminal.output()}
    }

    test.each([
      ['n\r', 130],
      ['\u0003', 130],
      ['\u0004', 130],
      ['\r', 130],
      ['maybe\ryes\r', 0],
    ])('for yes or no, answered with %j', async (answer, code) => {
      const id = await own.make('gone.txt', 'root', 'x')
      const question = /Delete [^?]*\? \(y\/N\) $/
      expect(await asked(['files', 'delete', id], question, answer)).toMatchObject({code})
    })

    test('for one of several', async () => {
      const ids = [await own.make('twice', 'root', 'one'), await own.make('twice', 'root', 'two')]
      const words = ['files', 'get', '/twice', '--columns', 'id']
      const {code, output} = await asked(words, /Number from 1 to 2: $/, '7\r2\r')
      expect(code).toBe(0)
      const [, , second] = /1\. (\S+)[^]*2\. (\S+)/.exec(output)!
      expect(ids).toContain(second)
      expect(output).toMatch(new RegExp(`id +${second}\\s*$`))
    })

    test('for a secret, which is not echoed', async () => {
      const words = ['auth', 'login', '--with-token', '--insecure-storage', '--profile', 'secret']
      const {output} = await asked(words, /Token: $/, 'hidden-secret-1\r')
      expect(output).not.toContain('hidden-secret-1')
    })
  })

  test('TERM=dumb draws no progress bar', async () => {
    const rules = [
      {operations: 'files.get', via: 'download', fault: 'status', status: 503, calls: [1, 2]},
    ]
    for (const TERM of ['xterm', 'dumb']) {
      const failing = await startWorld({faults: readFaultPlan(JSON.stringify({rules}))}, runHere)
      try {
        const id = await failing.make('a.txt', 'root', 'content')
        const line = ['files', 'get', id, '--output', `${failing.folder}/a.txt`]
        const text = await seen(line, {...failing.env, TERM, NO_COLOR: '1'})
        expect(text.includes('\u001b')).toBe(TERM === 'xterm')
        expect(text).toMatch(/Retrying in .*\n/)
      } finally {
        await failing.close()
      }
    }
  })

  test.each([40, 80, 120])('no line is longer than %i columns', async columns => {
    for (const words of [list, ['files', 'get', folder], ['about', 'get']]) {
      const text = await seen(words, {NO_COLOR: '1', DRV_PAGER: ''}, {columns})
      for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(columns)
    }
  })
})

test('a pipe gets colors only on request', async () => {
  const plain = await world.run('files list', ['--format', 'table'])
  expect(plain.stdout).not.toContain('\u001b')
  const forced = await world.run('files list', ['--format', 'table'], {env: {CLICOLOR_FORCE: '1'}})
  expect(forced.stdout).toContain('\u001b[1mTITLE\u001b[22m')
  const rows = await world.run('files list', [], {env: {FORCE_COLOR: '1'}})
  expect(rows.stdout).not.toContain('\u001b')
})

test.each([
  ['transfers list', 'No transfers.\n'],
  ['local org list', 'No orgs.\n'],
  ['files list --q title="none"', 'No files.\n'],
])('%s reports an empty list', async (line, words) => {
  const empty = await world.run(line, ['--format', 'table'])
  expect([empty.stdout, empty.stderr]).toEqual(['', words])
  expect((await world.run(line, ['--format', 'tsv'])).stderr).toBe('')
})

describe('the record of a file', () => {
  const requests = ({stderr}: {stderr: string}) => stderr.match(/^> |GET /gm)?.length ?? 0

  test('shows its path', async () => {
    const [file] = await world.children(folder)
    const sheet = await world.run('files get', [file.id, '--format', 'table'])
    expect(sheet.stdout).toMatch(/^title +q3\.txt\npath +\/Reports\/q3\.txt\n/)
    const json = await world.run('files get', [file.id, '--json', '--verbose'])
    expect(requests(json)).toBe(1)
    expect(json.json()).not.toHaveProperty('path')
    const asked = await world.run('files get', [file.id, '--format', 'table', '--fields', 'title'])
    expect(asked.stdout).toBe('title  q3.txt\n')
  })
})
