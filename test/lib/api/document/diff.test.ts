import {describe, expect, test} from 'vitest'
import {checkDocument} from '#lib/api/document/check/check.js'
import {diffDocuments} from '#lib/api/document/diff/diff.js'
import {readDocument} from '#lib/api/document/read.js'
import {type Change, changed, pathsOf} from './broken.js'

/** The differences, one per line: `! removed place` for breaking changes, otherwise without the mark. */
function diff(before: readonly Change[], after: readonly Change[]) {
  const {changes, texts} = diffDocuments(
    readDocument(changed(...before)),
    readDocument(changed(...after)),
  )
  return {
    lines: changes.map(({change, breaking, place}) => `${breaking ? '! ' : ''}${change} ${place}`),
    texts,
    changes,
  }
}

const list = 'resources files methods list'
const get = 'resources files methods get'
const insert = 'resources files methods insert'
const q = `${list} parameters q`
const max = `${list} parameters maxResults`
/** A schema that is both sent and returned; one that is only returned. */
const title = 'schemas File properties title'
const about = 'schemas About properties'
const upload = `${insert} mediaUpload`

function at(path: string): string {
  return path.replaceAll(' ', '.')
}

/** A path, its values before and after, and the expected differences. */
type Row = readonly [path: string, before: unknown, after: unknown, ...lines: string[]]

const OLD = {type: 'integer', format: 'int32', location: 'query'}
const schema = (more: object) => ({type: 'string', ...more})

const rows: readonly Row[] = [
  // Parts of every URL.
  ['rootUrl', 'http://a/', 'http://b/', 'changed rootUrl'],
  ['servicePath', 'drive/v2/', 'drive/v3/', '! changed servicePath'],
  ['batchPath', 'batch', 'batch/drive/v2', '! changed batchPath'],
  ['batchPath', 'batch', undefined, '! changed batchPath'],
  ['batchPath', undefined, 'batch', 'changed batchPath'],
  ['version', 'v2', 'v2beta', 'changed version'],
  ['protocol', 'rest', 'rpc', '! changed protocol'],
  ['labels', [], ['deprecated'], 'added labels'],
  ['features', ['a'], ['b'], '! removed features', 'added features'],
  ['endpoints', [{endpointUrl: 'http://a/'}], [], '! removed endpoints'],
  ['endpoints', [], [{endpointUrl: 'http://a/'}], 'added endpoints'],
  ['auth oauth2 scopes s', {description: 'S.'}, undefined, '! removed auth.oauth2.scopes.s'],
  ['auth oauth2 scopes s', undefined, {description: 'S.'}, 'added auth.oauth2.scopes.s'],

  // Methods.
  ['resources files deprecated', undefined, true, 'changed resources.files.deprecated'],
  [`${list} deprecated`, undefined, true, `changed ${at(list)}.deprecated`],
  [`${list} httpMethod`, 'GET', 'POST', `! changed ${at(list)}.httpMethod`],
  [`${list} path`, 'files', 'items', `! changed ${at(list)}.path`],
  [`${insert} request`, {$ref: 'File'}, undefined, `! changed ${at(insert)}.request.$ref`],
  [`${insert} request`, {$ref: 'File'}, {$ref: 'Drive'}, `! changed ${at(insert)}.request.$ref`],
  [`${list} request`, undefined, {$ref: 'File'}, `changed ${at(list)}.request.$ref`],
  [`${insert} response`, {$ref: 'File'}, undefined, `! changed ${at(insert)}.response.$ref`],
  [`${list} scopes`, ['a', 'b'], ['b'], `! removed ${at(list)}.scopes`],
  [`${list} scopes`, ['a'], ['a', 'b'], `added ${at(list)}.scopes`],
  [`${list} scopes`, [], ['a'], `! added ${at(list)}.scopes`],
  [`${list} scopes`, ['a'], [], `removed ${at(list)}.scopes`],
  [`${get} supportsMediaDownload`, true, false, `! changed ${at(get)}.supportsMediaDownload`],
  [`${get} supportsMediaDownload`, undefined, false],
  [`${list} supportsMediaDownload`, false, true, `changed ${at(list)}.supportsMediaDownload`],
  [`${list} supportsSubscription`, true, undefined, `! changed ${at(list)}.supportsSubscription`],

  // Uploads.
  [upload, {protocols: {}}, undefined, `! removed ${at(upload)}`],
  [upload, undefined, {protocols: {}}, `added ${at(upload)}`],
  [`${upload} maxSize`, '2GB', '1GB', `! changed ${at(upload)}.maxSize`],
  [`${upload} maxSize`, '1GB', '2TB', `changed ${at(upload)}.maxSize`],
  [`${upload} maxSize`, '1GB', '1024MB'],
  [`${upload} maxSize`, undefined, '5TB', `! changed ${at(upload)}.maxSize`],
  [`${upload} maxSize`, '5TB', undefined, `changed ${at(upload)}.maxSize`],
  [`${upload} accept`, ['*/*'], ['image/*'], `! removed ${at(upload)}.accept`],
  [`${upload} accept`, ['image/png'], ['image/*'], `added ${at(upload)}.accept`],
  [`${upload} accept`, ['image/*', 'image/png'], ['image/*']],
  [`${upload} accept`, undefined, ['*/*']],
  [`${upload} accept`, ['text/*'], undefined, `added ${at(upload)}.accept`],
  [
    `${upload} protocols simple`,
    {path: '/a'},
    undefined,
    `! removed ${at(upload)}.protocols.simple`,
  ],
  [`${upload} protocols simple`, undefined, {path: '/a'}, `added ${at(upload)}.protocols.simple`],
  [`${upload} protocols simple path`, '/a', '/b', `! changed ${at(upload)}.protocols.simple.path`],
  [
    `${upload} protocols simple multipart`,
    true,
    false,
    `! changed ${at(upload)}.protocols.simple.multipart`,
  ],
  [
    `${upload} protocols simple multipart`,
    false,
    true,
    `changed ${at(upload)}.protocols.simple.multipart`,
  ],

  // Parameters: all values are text.
  [q, OLD, undefined, `! removed ${at(q)}`],
  [q, undefined, OLD, `added ${at(q)}`],
  [q, undefined, {...OLD, required: true}, `! added ${at(q)}`],
  ['parameters extra', OLD, undefined, '! removed parameters.extra'],
  ['parameters extra', undefined, OLD, 'added parameters.extra'],
  [`${q} required`, undefined, true, `! changed ${at(q)}.required`],
  [`${q} required`, true, undefined, `changed ${at(q)}.required`],
  [`${q} repeated`, true, false, `! changed ${at(q)}.repeated`],
  [`${q} repeated`, undefined, true, `changed ${at(q)}.repeated`],
  [`${q} location`, 'query', 'path', `! changed ${at(q)}.location`],
  [`${q} deprecated`, undefined, true, `changed ${at(q)}.deprecated`],
  [`${q} default`, 'a', 'b', `changed ${at(q)}.default`],
  [`${q} pattern`, undefined, 'a+', `! changed ${at(q)}.pattern`],
  [`${q} pattern`, 'a+', 'b+', `! changed ${at(q)}.pattern`],
  [`${q} pattern`, 'a+', undefined, `changed ${at(q)}.pattern`],
  [`${max} minimum`, '1', '2', `! changed ${at(max)}.minimum`],
  [`${max} minimum`, '2', '1', `changed ${at(max)}.minimum`],
  [`${max} minimum`, undefined, '0', `! changed ${at(max)}.minimum`],
  [`${max} maximum`, '1000', '999', `! changed ${at(max)}.maximum`],
  [`${max} maximum`, '999', '1000', `changed ${at(max)}.maximum`],
  [`${max} maximum`, '1000', undefined, `changed ${at(max)}.maximum`],
  [`${q} enum`, ['a', 'b'], ['a'], `! removed ${at(q)}.enum`],
  [`${q} enum`, ['a'], ['b', 'a'], `added ${at(q)}.enum`],
  [`${q} enum`, undefined, ['a'], `! added ${at(q)}.enum`],
  [`${q} enum`, ['a'], undefined, `removed ${at(q)}.enum`],
  [q, schema({enum: ['a', 'b']}), schema({enum: ['b', 'a']})],
  [
    q,
    schema({enum: ['a', 'b']}),
    schema({enum: ['a', 'b'], enumDeprecated: [false, true]}),
    `changed ${at(q)}.enumDeprecated`,
  ],
  [
    q,
    schema({enum: ['a', 'b'], enumDeprecated: [true, true]}),
    schema({enum: ['b'], enumDeprecated: [true]}),
    `! removed ${at(q)}.enum`,
  ],
  [q, OLD, {...OLD, type: 'string', format: 'int64'}, `changed ${at(q)}.type`],
  [q, {...OLD, type: 'string', format: 'int64'}, OLD, `! changed ${at(q)}.type`],
  [q, OLD, {type: 'string', location: 'query'}, `changed ${at(q)}.type`],
  [q, OLD, {type: 'boolean', location: 'query'}, `! changed ${at(q)}.type`],
  [q, OLD, {...OLD, format: 'uint32'}, `! changed ${at(q)}.format`],

  // Fields that are sent and returned.
  [title, schema({}), undefined, `! removed ${at(title)}`],
  [title, undefined, schema({}), `added ${at(title)}`],
  [
    title,
    undefined,
    schema({annotations: {required: ['drive.files.insert']}}),
    `! added ${at(title)}`,
  ],
  [title, undefined, schema({annotations: {required: ['drive.files.new']}}), `added ${at(title)}`],
  [
    title,
    schema({}),
    schema({annotations: {required: ['drive.files.insert']}}),
    `! added ${at(title)}.annotations.required`,
  ],
  [
    title,
    schema({annotations: {required: ['drive.files.insert']}}),
    schema({}),
    `removed ${at(title)}.annotations.required`,
  ],
  [title, schema({}), schema({annotations: {required: ['drive.files.new']}})],
  [title, schema({}), schema({format: 'date-time'}), `! changed ${at(title)}.format`],
  [title, schema({format: 'date-time'}), schema({}), `! changed ${at(title)}.format`],
  [title, schema({format: 'mine'}), schema({format: 'yours'}), `changed ${at(title)}.format`],
  [title, schema({}), {type: 'integer'}, `! changed ${at(title)}.type`],
  [title, {$ref: 'User'}, {$ref: 'Drive'}, `! changed ${at(title)}.$ref`],
  [title, {$ref: 'User'}, {type: 'object'}, `! changed ${at(title)}.$ref`],
  [title, schema({}), schema({readOnly: true}), `changed ${at(title)}.readOnly`],
  [title, schema({enum: ['a', 'b']}), schema({enum: ['a']}), `! removed ${at(title)}.enum`],
  [
    title,
    schema({readOnly: true, enum: ['a', 'b']}),
    schema({readOnly: true, enum: ['a']}),
    `removed ${at(title)}.enum`,
  ],
  [
    title,
    {type: 'array', items: schema({})},
    {type: 'array', items: {type: 'integer'}},
    `! changed ${at(title)}.items.type`,
  ],
  [
    title,
    {type: 'object', properties: {a: {properties: {b: schema({})}}}},
    {type: 'object', properties: {a: {properties: {}}}},
    `! removed ${at(title)}.properties.a.properties.b`,
  ],
  [
    title,
    {type: 'object', additionalProperties: schema({})},
    {type: 'object', additionalProperties: {type: 'boolean'}},
    `! changed ${at(title)}.additionalProperties.type`,
  ],
  [
    title,
    {type: 'object', additionalProperties: schema({})},
    {type: 'object'},
    `! removed ${at(title)}.additionalProperties`,
  ],
  [
    title,
    {type: 'object'},
    {type: 'object', additionalProperties: schema({})},
    `added ${at(title)}.additionalProperties`,
  ],

  // Fields of responses: narrower types are not breaking, wider ones are, except enums.
  [`${about} name`, schema({}), undefined, `! removed ${at(about)}.name`],
  [`${about} name`, schema({}), schema({format: 'date'}), `changed ${at(about)}.name.format`],
  [`${about} name`, schema({format: 'date'}), schema({}), `! changed ${at(about)}.name.format`],
  [
    `${about} name`,
    schema({enum: ['a']}),
    schema({enum: ['a', 'b']}),
    `added ${at(about)}.name.enum`,
  ],
  [
    `${about} name`,
    schema({enum: ['a', 'b']}),
    schema({enum: ['a']}),
    `removed ${at(about)}.name.enum`,
  ],
  [`${about} name`, {type: 'integer'}, {type: 'number'}, `! changed ${at(about)}.name.type`],
  [`${about} name`, {type: 'number'}, {type: 'integer'}, `changed ${at(about)}.name.type`],
  [
    `${about} name`,
    {type: 'integer', format: 'int32'},
    {type: 'string', format: 'int64'},
    `! changed ${at(about)}.name.type`,
  ],
  [`${about} name`, schema({}), schema({pattern: 'a'}), `changed ${at(about)}.name.pattern`],

  ['schemas Extra', {id: 'Extra', type: 'object'}, undefined, '! removed schemas.Extra'],
  ['schemas Extra', undefined, {id: 'Extra', type: 'object'}, 'added schemas.Extra'],
  // Schemas that no method names may still be used.
  [
    'schemas Extra',
    schema({enum: ['a']}),
    schema({enum: ['b']}),
    '! removed schemas.Extra.enum',
    'added schemas.Extra.enum',
  ],
]

const differences = new Map<Row, ReturnType<typeof diff>>()

/** The differences between both documents of a row, computed once. */
function differencesOf(row: Row) {
  const [path, before, after] = row
  const known = differences.get(row) ?? diff([[path, before]], [[path, after]])
  differences.set(row, known)
  return known
}

describe('from one document to another', () => {
  test.each(
    rows.map(row => [row[0], JSON.stringify(row[1]), JSON.stringify(row[2]), row] as const),
  )('%s: %s -> %s', (...[, , , row]) => {
    const [, , , ...lines] = row
    expect(differencesOf(row)).toMatchObject({lines, texts: []})
  })

  test('a document does not differ from itself', () => {
    expect(diff([], [])).toEqual({lines: [], texts: [], changes: []})
  })

  test('a removal in one direction is an addition in the other', () => {
    const places = ({changes}: ReturnType<typeof diff>, kind: string) =>
      changes.filter(({change}) => change === kind).map(({place}) => place)
    for (const row of rows) {
      const [path, before, after] = row
      const there = differencesOf(row)
      const back = diff([[path, after]], [[path, before]])
      expect(places(back, 'added')).toEqual(places(there, 'removed'))
      expect(places(back, 'removed')).toEqual(places(there, 'added'))
    }
  })

  test('every change has a sentence', () => {
    for (const row of rows) {
      for (const {text} of differencesOf(row).changes) {
        expect(text).toMatch(/^[A-Z].*\.$/)
        expect(text).not.toMatch(/undefined|\[object|NaN/)
      }
    }
  })

  test('changed texts are only counted', () => {
    const words = [
      ['title', 'Other'],
      ['revision', '20300101'],
      [`${list} description`, 'Other.'],
      [`${q} description`, 'Other.'],
      ['schemas File description', 'Other.'],
      ['schemas About properties name readOnly', undefined],
      ['parameters alt enumDescriptions 0', 'Other.'],
    ] as const
    expect(diff([], words)).toMatchObject({
      lines: [],
      texts: [
        'title',
        'revision',
        'parameters.alt.enumDescriptions',
        'schemas.About.properties.name.readOnly',
        'schemas.File.description',
        `${at(list)}.description`,
        `${at(q)}.description`,
      ],
    })
  })
})

describe('methods', () => {
  const trash = 'resources files methods trash'

  test('a removed one and a new one', () => {
    expect(diff([], [[trash, undefined]]).lines).toEqual([`! removed ${at(trash)}`])
    expect(diff([[trash, undefined]], []).lines).toEqual([`added ${at(trash)}`])
  })

  test('are matched by ID, wherever they are', () => {
    const method = {id: 'drive.files.ping', path: 'ping', httpMethod: 'GET', scopes: []}
    const moved = 'resources files resources more methods ping'
    const before = [['methods ping', method]] as const
    expect(diff(before, [[moved, method]]).lines).toEqual([])
    expect(diff(before, [[moved, {...method, path: 'pong'}]]).lines).toEqual([
      `! changed ${at(moved)}.path`,
    ])
  })

  test('are the same in an API with another name', () => {
    const text = JSON.stringify(changed()).replaceAll('"drive.', '"store.')
    const renamed = {...(JSON.parse(text) as object), name: 'store', id: 'store:v2'}
    const {changes} = diffDocuments(readDocument(changed()), readDocument(renamed))
    expect(changes.map(({place, breaking}) => [place, breaking])).toEqual([['name', false]])
  })

  test('have a removed parameter if it is now common to all methods', () => {
    const extra = {type: 'string', location: 'query'}
    const own = [[`${list} parameters extra`, extra]] as const
    const common = [['parameters extra', extra]] as const
    expect(diff(own, common).lines).toEqual(['added parameters.extra'])
    const narrower = [['parameters extra', {...extra, enum: ['a']}]] as const
    expect(diff(own, narrower).lines).toEqual([
      'added parameters.extra',
      `! added ${at(list)}.parameters.extra.enum`,
    ])
  })
})

test('schemas that refer to each other in circles, and names of JavaScript', () => {
  const circle = JSON.parse(
    '{"A": {"id": "A", "items": {"$ref": "B"}}, "B": {"properties": {"__proto__": {"$ref": "A"}}}}',
  ) as Record<string, unknown>
  const both = [
    ['schemas A', circle.A],
    ['schemas B', circle.B],
    [`${insert} request`, {$ref: 'A'}],
  ] as const
  expect(diff(both, both).lines).toEqual([])
  const now = [...both, ['schemas B', {properties: {}}]] as const
  expect(diff(both, now).lines).toEqual(['! removed schemas.B.properties.__proto__'])
})

test('any valid JSON document can be compared', () => {
  const bad = ['null', '0', '"{"', '[]', '{}', '[null]', '{"__proto__":1,"":[1]}', 'false']
  const built = readDocument(changed())
  let compared = 0
  for (const [index, path] of pathsOf(changed()).entries()) {
    if (index % 13 !== 0) continue
    const document = changed([path, JSON.parse(bad[(index / 13) % bad.length]!)])
    if (checkDocument(document).some(({rule}) => rule === 'type' || rule === 'allowed-value'))
      continue
    compared += 1
    const other = readDocument(document)
    expect(() => [diffDocuments(built, other), diffDocuments(other, built)], path).not.toThrow()
  }
  expect(compared).toBeGreaterThan(5)
})
