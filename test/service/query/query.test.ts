import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {readTime} from '#lib/api/query/parse.js'
import {FOLDER_TYPE, SHORTCUT_TYPE} from '#lib/api/wire.js'
import {FileServiceError} from '#lib/service/errors.js'
import {searchHandlers} from '#lib/service/handlers/files.js'
import {phrases} from '#lib/service/query/fields.js'
import {readQuery} from '#lib/service/query/sql.js'
import {type Bench, grant, NOW, openBench} from '../calls.js'

const eq = (field: string, value: string | number | boolean) => ({
  type: 'compare',
  field,
  operator: '=',
  value,
})

describe('readQuery', () => {
  test.each([
    ["title = 'a'", eq('title', 'a')],
    ['title="a"', eq('title', 'a')],
    [String.raw`title = 'it\'s'`, eq('title', "it's")],
    [String.raw`title = 'back\\slash'`, eq('title', String.raw`back\slash`)],
    [String.raw`title = "say \"x\""`, eq('title', 'say "x"')],
    [`title = "it's"`, eq('title', "it's")],
    ["title = '\u00e9t\u00e9 \n'", eq('title', 'été \n')],
    ['starred', eq('starred', true)],
    ['trashed = FALSE', eq('trashed', false)],
    ['memberCount=3', eq('memberCount', 3)],
    ["not title='a'", {type: 'not', operand: eq('title', 'a')}],
    ["'x' IN parents", {type: 'in', field: 'parents', value: 'x'}],
    [
      "properties has {key='k' and value='v'}",
      {type: 'has', field: 'properties', pairs: {key: 'k', value: 'v'}},
    ],
    [
      'a or b and c',
      {
        type: 'and',
        left: {type: 'or', left: eq('a', true), right: eq('b', true)},
        right: eq('c', true),
      },
    ],
    [
      'a AND b Or c',
      {
        type: 'or',
        left: {type: 'and', left: eq('a', true), right: eq('b', true)},
        right: eq('c', true),
      },
    ],
    [
      'a or (b and c)',
      {
        type: 'or',
        left: eq('a', true),
        right: {type: 'and', left: eq('b', true), right: eq('c', true)},
      },
    ],
    ['not a or b', {type: 'or', left: {type: 'not', operand: eq('a', true)}, right: eq('b', true)}],
    [
      'not (a or b)',
      {type: 'not', operand: {type: 'or', left: eq('a', true), right: eq('b', true)}},
    ],
  ])('%s', (text, tree) => {
    expect(readQuery(text)).toEqual(tree)
  })

  test.each([undefined, '', '  \n'])('an empty query: %j', text => {
    expect(readQuery(text)).toBeUndefined()
  })

  test.each([
    "title = 'a",
    "title = 'a' and",
    "title = 'a' title = 'b'",
    'title =',
    "title == 'a'",
    "title ~ 'a'",
    "title = 'a')",
    "(title = 'a'",
    '()',
    "'a' parents",
    'in parents',
    "not not title = 'a'",
    "and = 'a'",
    String.raw`title = 'C:\temp'`,
    "properties has key='k'",
    "properties has {key='k'",
    "properties has {key='k' or value='v'}",
    "properties has {key='k' and key='v'}",
    'title = 12ab',
    "title = 'a';",
    `${'('.repeat(50_000)}a${')'.repeat(50_000)}`,
    Array.from({length: 301}, () => 'a').join(' or '),
  ])('is refused: %.40s', text => {
    expect(() => readQuery(text)).toThrow(
      expect.objectContaining({
        status: 400,
        detail: {
          domain: 'global',
          reason: 'invalid',
          message: 'Invalid Value',
          locationType: 'parameter',
          location: 'q',
        },
      }),
    )
  })
})

describe('readTime', () => {
  test.each([
    ['2026-11-21T09:30:00Z', NOW],
    ['2026-11-21T09:30:00', NOW],
    ['2026-11-21T09:30', NOW],
    ['2026-11-21t10:30:00.000+01:00', NOW],
    ['2026-11-21', Date.UTC(2026, 10, 21)],
    ['2024-02-29', Date.UTC(2024, 1, 29)],
    ['2026-02-29', undefined],
    ['2026-13-01', undefined],
    ['2026-11-21T25:00:00', undefined],
    ['21.11.2026', undefined],
    ['2026-11-21T09:30:00 Z', undefined],
  ])('%s', (text, time) => {
    expect(readTime(text)).toBe(time)
  })
})

test('phrases match word by word, and as a whole in quotes', () => {
  expect(phrases('Hello "big_bad World" x')).toEqual([' hello ', ' big bad world ', ' x '])
  expect(phrases('"" - ')).toEqual([])
})

describe('q of files.list', () => {
  let bench: Bench
  const day = 24 * 3600 * 1000

  beforeAll(() => {
    bench = openBench()
    const {user, store} = bench
    const folder = bench.folder({id: 'folder', title: 'Projects'})
    bench.file({id: 'hello', title: 'HelloWorld', modifiedAt: NOW - day})
    bench.file({
      id: 'report',
      title: 'annual_report-2026.PDF',
      type: 'application/pdf',
      parent: folder,
    })
    bench.file({id: 'photo', title: "It's a photo", type: 'image/JPEG', createdAt: NOW - 2 * day})
    bench.file({id: 'uml', title: 'ÜBER Größe', trashed: true, parent: folder})
    bench.file({id: 'short', title: 'x', type: SHORTCUT_TYPE, target: 'report'})
    bench.content('hello', 'the quick brown fox_jumps, over')
    grant(bench, 'hello', {login: 'ann'}, 'writer')
    grant(bench, folder, {login: 'bob'})
    grant(bench, 'photo', {anyone: 'link'})
    grant(bench, 'short', {domain: 'example.com'})
    bench.file({id: 'anns', title: 'From Ann', owner: 'ann'})
    grant(bench, 'anns', {login: 'local'})
    store.run(
      'INSERT INTO user_files (user_id, file_id, shared_at, viewed_at) VALUES (:u, :f, :t, :t)',
      {u: user().id, f: 'anns', t: NOW - day},
    )
    store.run('INSERT INTO user_files (user_id, file_id, starred) VALUES (:u, :f, 1)', {
      u: user().id,
      f: 'photo',
    })
    const property = `INSERT INTO properties (file_id, key, visibility, client_id, value)
      VALUES (:file, :key, :visibility, :client, :value)`
    const common = {key: 'k', client: '', value: 'v'}
    store.run(property, {...common, file: 'hello', visibility: 'PRIVATE'})
    store.run(property, {...common, file: 'report', visibility: 'PUBLIC'})
    store.run(property, {...common, file: 'photo', visibility: 'PRIVATE', client: 'other-app'})
    store.run(
      `INSERT INTO file_labels (file_id, label_id, revision_id, fields)
       VALUES ('hello', 'L1', 'r', :fields)`,
      {
        fields: JSON.stringify({
          F: {valueType: 'text', values: ['draft']},
          N: {valueType: 'integer', values: ['7']},
          D: {valueType: 'dateString', values: ['2026-01-31']},
          S: {valueType: 'selection', values: ['a', 'b']},
        }),
      },
    )
  })
  afterAll(() => bench.close())

  const find = (q: string, login = 'local'): string[] =>
    bench
      .call(searchHandlers['files.list'], 'files.list', {q}, {login})
      .items.map((item: {id: string}) => item.id)
      .sort()

  const all = ['anns', 'folder', 'hello', 'photo', 'report', 'short', 'uml']
  const but = (...ids: string[]) => all.filter(id => !ids.includes(id))

  test.each<[string, string[]]>([
    ["title contains 'Hello'", ['hello']],
    ["title contains 'hel'", ['hello']],
    ["title contains 'World'", []],
    ["title contains 'report'", ['report']],
    ["title contains 'annual rep'", ['report']],
    ["title contains 'rep annual'", []],
    ["title contains ''", all],
    ["title contains '%'", []],
    ["title contains ' _ '", ['report']],
    ["title contains 'größ'", ['uml']],
    ["title = 'helloworld'", ['hello']],
    ["title = 'Hello'", []],
    ["title = 'über größe'", ['uml']],
    [String.raw`title = 'It\'s a photo'`, ['photo']],
    [`title = "it's a photo"`, ['photo']],
    ["title != 'x'", but('short')],
    ["fullText contains 'quick'", ['hello']],
    ["fullText contains 'qui'", []],
    ["fullText contains '%'", []],
    ["fullText contains 'fox over'", ['hello']],
    [`fullText contains '"fox jumps"'`, ['hello']],
    [`fullText contains '"jumps fox"'`, []],
    ["fullText contains 'größe'", ['uml']],
    ["not fullText contains 'quick'", but('hello')],
    [`mimeType = '${FOLDER_TYPE}'`, ['folder']],
    [`mimeType != '${FOLDER_TYPE}'`, but('folder')],
    ["mimeType contains 'image/'", ['photo']],
    ["mimeType contains 'jpeg'", []],
    ["modifiedDate < '2026-11-21T09:30:00'", ['hello']],
    ["modifiedDate <= '2026-11-20T10:30:00+01:00'", ['hello']],
    ["modifiedDate = '2026-11-20T09:30:00Z'", ['hello']],
    ["modifiedDate != '2026-11-20T09:30:00Z'", but('hello')],
    ["createdDate >= '2026-11-20'", but('photo')],
    ["lastViewedByMeDate > '2000-01-01'", ['anns']],
    ["not lastViewedByMeDate > '2000-01-01'", but('anns')],
    ["sharedWithMeDate > '2000-01-01'", ['anns']],
    ['sharedWithMe', ['anns']],
    ['sharedWithMe = false', but('anns')],
    ["sharedWithMe and title contains 'ann'", ['anns']],
    ["title = 'x' or sharedWithMe", ['anns', 'short']],
    ['starred', ['photo']],
    ['starred != true', but('photo')],
    ['trashed = true', ['uml']],
    ['trashed = false', but('uml')],
    ["'root' in parents", ['folder', 'hello', 'photo', 'short']],
    ['"folder" in parents', ['report', 'uml']],
    ["'folder' in parents and trashed=false", ['report']],
    ["'nowhere' in parents", []],
    ["not 'root' in parents", ['anns', 'report', 'uml']],
    ["'me' in owners", but('anns')],
    ["'ANN@example.com' in owners", ['anns']],
    ["'ann@example.com' in writers", ['anns', 'hello']],
    ["'bob@example.com' in readers", ['folder', 'report', 'uml']],
    ["'bob@example.com' in writers", []],
    ["'local@example.com' in readers", all],
    ["'nobody@example.com' in readers", []],
    ["'example.com' in readers", ['short']],
    ["properties has {key='k' and value='v'}", ['hello']],
    ["properties has {key='k' and value='v' and visibility='PRIVATE'}", ['hello']],
    ["properties has {visibility='public' and key='k'}", ['report']],
    ["properties has {key='k' and value='w'}", []],
    ["visibility = 'anyoneWithLink'", ['photo']],
    ["visibility = 'anyoneCanFind'", []],
    ["visibility = 'domainCanFind'", ['short']],
    ["visibility = 'limited'", but('photo', 'short')],
    ["visibility != 'limited'", ['photo', 'short']],
    ["shortcutDetails.targetId = 'report'", ['short']],
    ["shortcutDetails.targetId != 'report'", but('short')],
    ["'labels/L1' in labels", ['hello']],
    ["'labels/L2' in labels", []],
    ["labels/L1.F = 'draft'", ['hello']],
    ["labels/L1.F != 'draft'", but('hello')],
    ['labels/L1.N > 6', ['hello']],
    ['labels/L1.N > 7', []],
    ["labels/L1.D < '2026-02-01'", ['hello']],
    ["'b' in labels/L1.S", ['hello']],
    ["'c' in labels/L1.S", []],
    // Equal precedence from left to right: (a or b) and c, (a and b) or c.
    ["title = 'x' or title = 'helloworld' and mimeType = 'text/plain'", ['hello']],
    ["title = 'x' or (title = 'helloworld' and mimeType = 'text/plain')", ['hello', 'short']],
    ["mimeType = 'text/html' and title = 'x' or title = 'helloworld'", ['hello']],
    ["not title = 'x' and 'root' in parents", ['folder', 'hello', 'photo']],
    ["not (title = 'x' or trashed)", but('short', 'uml')],
    ['', all],
  ])('%s', (q, ids) => {
    expect(find(q)).toEqual(ids)
  })

  test.each([
    "name = 'x'",
    "Title = 'x'",
    'title = true',
    "title > 'x'",
    "trashed = 'true'",
    'trashed contains true',
    "modifiedDate > 'yesterday'",
    'modifiedDate > 5',
    "fullText = 'x'",
    "mimeType < 'x'",
    "'x' in title",
    "parents = 'x'",
    'true in parents',
    "visibility = 'everyone'",
    "properties has {value='v'}",
    "properties has {key='k' and colour='red'}",
    "properties has {key='k' and visibility='SECRET'}",
    "title has {key='k'}",
    "'L1' in labels",
    "labels/L1.F contains 'x'",
    "labels/L1.F > 'x'",
    "constructor = 'x'",
    'title',
  ])('is refused: %s', q => {
    expect(() => find(q)).toThrow(FileServiceError)
    expect(() => find(q)).toThrow('Invalid Value')
  })

  const term = (index: number) => `title = 't${index}'`
  const terms = Array.from({length: 299}, (_, index) => term(index))
  const words = Array.from({length: 600}, (_, index) => `w${index}`)
  const mixed = terms.map((each, index) => `${each} ${index % 2 ? 'and' : 'or'} `).join('')
  // Around an inner condition, so that each level counts: a and (b or (c and (…
  const nested = (levels: number, innermost = "title = 'x'") =>
    Array.from({length: levels}).reduce<string>(
      (inner, _, index) => `not starred ${index % 2 ? 'or' : 'and'} (${inner})`,
      innermost,
    )

  test.each<[string, string, string[]]>([
    ['one kind', [...terms, "title = 'x'"].join(' or '), ['short']],
    ['both kinds', `${mixed} title = 'x'`, ['short']],
    [
      'folded from the left',
      terms.reduce((left, each) => `(${left} or ${each})`, 'starred'),
      ['photo'],
    ],
    [
      'folded from the right',
      terms.reduce((right, each) => `(${each} or ${right})`, 'starred'),
      ['photo'],
    ],
    ['many people', terms.map(() => "'ann@example.com' in owners").join(' and '), ['anns']],
    ['deep', nested(11), but('photo')],
    ['deep, with people', nested(11, "'ann@example.com' in writers"), but('photo')],
    [
      'deep, with a list',
      nested(11, "'b' in labels/L1.S or starred and visibility = 'limited'"),
      but('photo'),
    ],
    ['deep and negated', `${'not ('.repeat(12)}starred${')'.repeat(12)}`, ['photo']],
    ['many links', terms.map(() => "visibility = 'limited'").join(' or '), but('photo', 'short')],
    ['many words', `fullText contains '${'fox '.repeat(3000)}'`, ['hello']],
    ['different words', `fullText contains '${words.join(' ')}'`, []],
    [
      'many texts',
      [...words.slice(0, 299), 'fox'].map(word => `fullText contains '${word}'`).join(' or '),
      ['hello'],
    ],
  ])('a large query does not overload the database: %s', (_, q, ids) => {
    expect(find(q)).toEqual(ids)
  })

  test('no query finds files that the caller cannot see', () => {
    expect(find("starred or not starred or title != ''", 'bob')).toEqual([
      'folder',
      'report',
      'short',
    ])
  })

  test('a query that is too deep is rejected', () => {
    expect(() => find(nested(20))).toThrow('Invalid Value')
  })

  test('a folder that the caller cannot see has no children', () => {
    expect(find("'folder' in parents", 'bob')).toEqual(['report'])
    expect(find("'folder' in parents", 'ann')).toEqual([])
  })
})
