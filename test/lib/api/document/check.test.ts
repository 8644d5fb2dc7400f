import {describe, expect, test} from 'vitest'
import {checkDocument} from '#lib/api/document/check/check.js'
import {DocumentError, readDocument} from '#lib/api/document/read.js'
import {base, type Change, changed, pathsOf} from './broken.js'

const clean = checkDocument(base)

/** The findings that a change to the built-in description adds, as `rule place`. */
function found(...changes: readonly Change[]) {
  const known = new Set(clean.map(finding => JSON.stringify(finding)))
  return checkDocument(changed(...changes)).filter(finding => !known.has(JSON.stringify(finding)))
}

const list = 'resources files methods list'
const get = 'resources files methods get'
const insert = 'resources files methods insert'
const q = `${list} parameters q`
const max = `${list} parameters maxResults`
const file = 'schemas File properties'
const simple = `${insert} mediaUpload protocols simple`

/** The path, the invalid value, and the only finding: its rule, and its place if different. */
type Row = readonly [path: string, value: unknown, rule: string, place?: string]

const breaches: readonly Row[] = [
  ['kind', 'discovery#directoryList', 'allowed-value'],
  ['kind', undefined, 'needed'],
  ['rootUrl', undefined, 'needed'],
  ['servicePath', undefined, 'needed'],
  ['discoveryVersion', 1, 'type'],
  ['id', 'drive-v2', 'id-form'],
  ['id', 'drive:v3', 'id-form'],
  ['canonicalName', null, 'type'],
  ['revision', 20261121, 'type'],
  ['title', ['Files'], 'type'],
  ['description', {}, 'type'],
  ['icons', 'x16', 'type'],
  ['icons', {x16: 16, x32: 'http://a/32'}, 'type', 'icons.x16'],
  ['icons', {x16: 'http://a/16', x32: '32.png'}, 'address', 'icons.x32'],
  ['documentationLink', 'docs', 'address'],
  ['documentationLink', 7, 'type'],
  ['labels', 'deprecated', 'type'],
  ['labels', ['deprecated', 1], 'type', 'labels[1]'],
  ['protocol', 'soap', 'allowed-value'],
  ['baseUrl', false, 'type'],
  ['basePath', 0, 'type'],
  ['rootUrl', '/drive/', 'root-url'],
  ['rootUrl', 'https://files.example', 'root-url'],
  ['rootUrl', 'ftp://files.example/', 'root-url'],
  ['servicePath', 'drive/v2', 'service-path'],
  ['servicePath', '/drive/v2/', 'service-path'],
  ['batchPath', 1, 'type'],
  ['endpoints', {}, 'type'],
  ['endpoints', [{endpointUrl: 'here'}], 'address', 'endpoints[0].endpointUrl'],
  ['endpoints', [{endpointUrl: 'http://a/', location: 1}], 'type', 'endpoints[0].location'],
  ['endpoints', [{endpointUrl: 'http://a/', description: 1}], 'type', 'endpoints[0].description'],
  ['endpoints', [{endpointUrl: 'http://a/', deprecated: 'no'}], 'type', 'endpoints[0].deprecated'],
  ['parameters', [], 'type'],
  ['parameters alt location', undefined, 'needed'],
  ['auth', [], 'type'],
  ['auth oauth2', 'yes', 'type'],
  ['auth oauth2 scopes other', 'Other.', 'type'],
  ['auth oauth2 scopes other', {description: 1}, 'type', 'auth.oauth2.scopes.other.description'],
  ['features', ['a', 1], 'type', 'features[1]'],
  ['methods', [], 'type'],
  ['methods', {ping: {id: 'drive.ping', path: 'ping'}}, 'needed', 'methods.ping.httpMethod'],
  ['resources files deprecated', 'no', 'type'],
  ['resources files resources', {a: {methods: 1}}, 'type', 'resources.files.resources.a.methods'],
  ['resources inner', {resources: {a: 1}}, 'type', 'resources.inner.resources.a'],

  ['schemas File id', 'Files', 'schema-id'],
  ['schemas File id', 1, 'type'],
  [`${q} type`, 'text', 'allowed-value'],
  [`${q} $ref`, 'Query', 'ref-resolves'],
  [`${file} extra`, {$ref: 'toString'}, 'ref-resolves', 'schemas.File.properties.extra.$ref'],
  [`${file} parents items $ref`, 'Parent', 'ref-resolves'],
  [`${q} description`, 1, 'type'],
  [`${max} default`, 100, 'type'],
  [`${q} required`, 'true', 'type'],
  [`${q} deprecated`, 1, 'type'],
  [`${file} title readOnly`, 'no', 'type'],
  [`${q} format`, true, 'type'],
  [`${q} format`, 'int32', 'format'],
  [`${file} fileSize type`, 'integer', 'format', 'schemas.File.properties.fileSize.format'],
  [`${q} pattern`, '(', 'pattern'],
  [`${q} pattern`, 1, 'type'],
  [`${max} minimum`, 'one', 'bound'],
  [`${max} minimum`, 1, 'type'],
  [`${max} maximum`, '', 'bound'],
  [`${q} enum`, 'a', 'type'],
  [`${q} enum`, ['a', null], 'type', `${at(q)}.enum[1]`],
  [`${q} enumDescriptions`, ['One.'], 'enum-words'],
  ['parameters alt enumDescriptions 0', 1, 'type', 'parameters.alt.enumDescriptions[0]'],
  [`${q} enumDeprecated`, [true], 'enum-words'],
  [`${q} repeated`, 'yes', 'type'],
  [`${q} location`, 'header', 'allowed-value'],
  [`${q} location`, undefined, 'needed'],
  [`${file} extra`, {properties: []}, 'type', 'schemas.File.properties.extra.properties'],
  [
    `${file} extra`,
    {additionalProperties: {items: {type: 'list'}}},
    'allowed-value',
    'schemas.File.properties.extra.additionalProperties.items.type',
  ],
  [`${file} extra`, {items: []}, 'type', 'schemas.File.properties.extra.items'],
  [`${file} title annotations`, true, 'type'],
  [`${file} title annotations`, {required: 'x'}, 'type', `${at(file)}.title.annotations.required`],
  [
    `${file} title annotations`,
    {required: ['drive.files.list', 'files.insert']},
    'required-by',
    `${at(file)}.title.annotations.required[1]`,
  ],
  [
    `${file} title variant`,
    {discriminant: 'type', map: [{type_value: 'a', $ref: 'A'}]},
    'ref-resolves',
    `${at(file)}.title.variant.map[0].$ref`,
  ],
  [`${max} default`, 'ten', 'default'],
  [`${max} default`, '-1', 'default'],
  [`${max} default`, '99999999999', 'default'],
  [`${max} default`, '1'.repeat(1e6), 'default'],
  ['parameters alt default', 'xml', 'default'],
  ['parameters prettyPrint default', 'yes', 'default'],
  [`${file} extra`, {type: 'number', default: 'half'}, 'default', `${at(file)}.extra.default`],
  [
    `${file} extra`,
    {type: 'string', format: 'date', default: '1'},
    'default',
    `${at(file)}.extra.default`,
  ],
  [
    `${file} extra`,
    {type: 'number', default: '1.5', maximum: '1.25'},
    'default',
    `${at(file)}.extra.default`,
  ],
  [
    `${file} extra`,
    {type: 'string', format: 'int64', minimum: '9007199254740993', maximum: '9007199254740992'},
    'bound',
    `${at(file)}.extra.maximum`,
  ],

  [`${list} id`, 1, 'type'],
  [`${list} path`, undefined, 'needed'],
  [`${list} path`, 'files/{', 'path-template'],
  [`${list} path`, 'files/{+q}', 'path-parameters', `${at(q)}`],
  [`${list} path`, 'files/{other}', 'path-parameters', `${at(list)}.parameters.other`],
  [`${get} parameters fileId location`, 'query', 'path-parameters', `${at(get)}.parameters.fileId`],
  [`${q} location`, 'path', 'path-parameters', at(q)],
  [`${list} flatPath`, '{+files}', 'flat-path'],
  [`${list} httpMethod`, 'get', 'allowed-value'],
  [`${list} httpMethod`, undefined, 'needed'],
  [`${list} description`, 1, 'type'],
  [`${list} deprecated`, 'no', 'type'],
  [`${list} parameters`, [], 'type'],
  [`${list} parameterOrder`, 'q', 'type'],
  [`${get} parameterOrder`, ['fileId', 'q'], 'parameter-order', `${at(get)}.parameterOrder[1]`],
  [
    `${get} parameterOrder`,
    ['fileId', 'constructor'],
    'parameter-order',
    `${at(get)}.parameterOrder[1]`,
  ],
  [`${insert} request`, {}, 'needed', `${at(insert)}.request.$ref`],
  [`${insert} request $ref`, 'Document', 'ref-resolves'],
  [`${insert} request parameterName`, 1, 'type'],
  [`${insert} response $ref`, 'Document', 'ref-resolves'],
  [`${insert} response`, 'File', 'type'],
  [`${list} scopes`, 'drive', 'type'],
  [`${list} scopes`, [1], 'type', `${at(list)}.scopes[0]`],
  [`${list} supportsMediaDownload`, 1, 'type'],
  [`${list} useMediaDownloadService`, 1, 'type'],
  [`${list} supportsSubscription`, 'no', 'type'],
  [`${list} apiVersion`, 2, 'type'],
  [`${list} etagRequired`, 'no', 'type'],
  [`${list} supportsMediaUpload`, true, 'media-upload', `${at(list)}.mediaUpload`],
  [`${insert} supportsMediaUpload`, false, 'media-upload'],
  [`${insert} mediaUpload accept`, '*/*', 'type'],
  [`${insert} mediaUpload accept`, ['image'], 'media-range', `${at(insert)}.mediaUpload.accept[0]`],
  [`${insert} mediaUpload maxSize`, '2 gigabytes', 'max-size'],
  [`${insert} mediaUpload maxSize`, 2, 'type'],
  [`${insert} mediaUpload protocols`, undefined, 'needed'],
  [`${insert} mediaUpload protocols`, {}, 'upload-protocol'],
  [`${simple} multipart`, 'yes', 'type'],
  [`${simple} path`, undefined, 'needed'],
  [`${simple} path`, 'upload/drive/v2/files', 'upload-path'],
  [`${simple} path`, '/upload/drive/v2/files/{fileId}', 'upload-names'],
]

const remarks: readonly Row[] = [
  ['mtlsRootUrl', null, 'unknown-key'],
  [`${list} idempotent`, true, 'unknown-key'],
  [`${q} example`, 'a', 'unknown-key'],
  [`${insert} mediaUpload protocols ftp`, {}, 'unknown-key'],
  ['protocol', undefined, 'absent'],
  ['schemas File id', undefined, 'absent'],
  [`${list} id`, undefined, 'absent'],
  ['discoveryVersion', 'v2', 'discovery-version'],
  ['labels', ['labs'], 'label', 'labels[0]'],
  ['baseUrl', 'http://elsewhere/', 'old-address'],
  ['basePath', 'drive/v2/', 'old-address'],
  ['batchPath', 'batch/drive/v2', 'batch-path'],
  [`${q} format`, 'query', 'format'],
  [`${q} pattern`, '(?i)a++', 'pattern'],
  ['parameters alt enumDescriptions', [], 'enum-words'],
  ['parameters alt enumDeprecated', [], 'enum-words'],
  [`${list} scopes`, ['peek'], 'scope-declared', `${at(list)}.scopes[0]`],
  [`${get} parameterOrder`, [], 'parameter-order'],
  [`${insert} supportsMediaUpload`, undefined, 'media-upload'],
]

function at(path: string): string {
  return path.replaceAll(' ', '.')
}

/** For test titles. */
function short(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 60)
}

describe('a valid document', () => {
  test('the built-in description has no errors', () => {
    expect(clean.filter(({isBreach}) => isBreach)).toEqual([])
  })

  test('nor has the minimum that a reader needs', () => {
    const least = {kind: 'discovery#restDescription', rootUrl: 'http://a/', servicePath: ''}
    const findings = checkDocument(least)
    expect(new Set(findings.map(({rule}) => rule))).toEqual(new Set(['absent']))
    expect(findings.some(({isBreach}) => isBreach)).toBe(false)
  })

  test.each<[string, unknown]>([
    ['icons', {x16: 'https://a/16.png', x32: 'https://a/32.png'}],
    ['endpoints', [{endpointUrl: 'https://eu.example/', location: 'eu', deprecated: false}]],
    ['labels', ['limited_availability', 'deprecated']],
    ['features', []],
    ['documentationLink', 'https://a/docs'],
    ['methods', {ping: {id: 'drive.ping', path: 'ping', httpMethod: 'GET'}}],
    [
      'resources outer',
      {
        resources: {
          resources: {
            methods: {methods: {id: 'drive.outer.resources.methods', path: 'a', httpMethod: 'GET'}},
          },
        },
      },
    ],
    [`${insert} mediaUpload maxSize`, '5TB'],
    [`${insert} mediaUpload accept`, ['image/*', 'application/vnd.a+json']],
    [`${q} enumDeprecated`, []],
    [`${file} extra`, {type: 'string', format: 'int64', minimum: '-9223372036854775808'}],
    [`${file} extra`, {type: 'number', default: '-1.5e3', minimum: '-2e3'}],
    [`${q} pattern`, '^(a+)+$'],
  ])('%s = %j', (path, value) => {
    expect(found([path, value])).toEqual([])
  })

  test('a pattern with exponential matching is not run on the default', () => {
    expect(found([`${q} pattern`, '^(a+)+$'], [`${q} default`, `${'a'.repeat(50)}!`])).toEqual([])
  })

  test('paths of level 2, and the operators of a template', () => {
    const path = 'files/{+fileId}{/revision*}'
    const revision = {type: 'string', location: 'path', required: true}
    const more = ['fileId', 'revision']
    expect(
      found(
        [`${get} path`, path],
        [`${get} parameters revision`, revision],
        [`${get} parameterOrder`, more],
      ),
    ).toEqual([])
  })

  test('ids are not compared with their locations if the API has no name', () => {
    const findings = found(['name', undefined], ['id', undefined])
    expect(findings.map(({rule}) => rule)).toEqual(['absent', 'absent'])
  })
})

describe('one error, and nothing else', () => {
  test.each(breaches.map(row => [row[0], short(row[1]), row] as const))(
    '%s = %s',
    (...[, , row]) => {
      const [path, value, rule, place = at(path)] = row
      const real = found([path, value]).filter(({isBreach}) => isBreach)
      expect(real.map(finding => [finding.rule, finding.place])).toEqual([[rule, place]])
    },
  )

  test('a path parameter must be required', () => {
    const findings = found([`${get} parameters fileId required`, false])
    expect(findings.map(({rule, place}) => [rule, place])).toEqual([
      ['path-parameters', `${at(get)}.parameters.fileId`],
      ['parameter-order', `${at(get)}.parameterOrder[0]`],
    ])
  })

  test('an id belongs to one method, and must match its location', () => {
    const findings = found([`${list} id`, 'drive.files.get'])
    expect(findings.map(({rule, place}) => [rule, place])).toEqual([
      ['method-id-unique', `${at(list)}.id`],
      ['method-id', `${at(list)}.id`],
    ])
  })
})

describe('one warning, and nothing else', () => {
  test.each(remarks.map(row => [row[0], short(row[1]), row] as const))(
    '%s = %s',
    (...[, , row]) => {
      const [path, value, rule, place = at(path)] = row
      expect(
        found([path, value]).map(finding => [finding.rule, finding.place, finding.isBreach]),
      ).toEqual([[rule, place, false]])
    },
  )
})

test('every finding is a sentence without JavaScript terms', () => {
  const all = [...breaches, ...remarks].flatMap(([path, value]) => found([path, value]))
  for (const {text} of all) expect(text).toMatch(/^[A-Z].*\.$/)
  for (const {text} of all) expect(text).not.toMatch(/undefined|\[object|NaN/)
})

describe('any JSON', () => {
  test.each(['null', '1', '"text"', '[]', 'true', '[[[]]]'])('%s is not a description', text => {
    expect(checkDocument(JSON.parse(text))).toMatchObject([
      {place: '', rule: 'type', isBreach: true},
    ])
  })

  test('no value in any place makes it throw', () => {
    const bad = ['null', '0', '"{"', '[]', '{}', '[null]', '{"__proto__":1,"":[1]}', 'false']
    const paths = pathsOf(base).filter((_, index) => index % 13 === 0)
    for (const [index, path] of paths.entries()) {
      const value: unknown = JSON.parse(bad[index % bad.length]!)
      expect(() => checkDocument(changed([path, value]))).not.toThrow()
    }
  })

  test('names of JavaScript properties are ordinary names', () => {
    const text = '{"__proto__": {"location": "query"}, "constructor": {"location": "query"}}'
    expect(found(['parameters', JSON.parse(text)])).toEqual([])
    const odd = found(['schemas __proto__x', {}], ['hasOwnProperty', 1])
    expect(odd.map(({rule}) => rule)).toEqual(['unknown-key', 'absent'].reverse())
  })

  test('schemas that refer to each other in circles are valid', () => {
    const circle = {Reply: {id: 'Reply', $ref: 'Thread'}, Thread: {id: 'Thread', $ref: 'Reply'}}
    expect(found(['schemas Reply', circle.Reply], ['schemas Thread', circle.Thread])).toEqual([])
  })

  test.each([
    ['resources', '{"resources":{"a":', '}}'],
    ['schemas', '{"items":', '}'],
    ['other', '[', ']'],
  ])('nesting that is too deep below %s is reported at once', (name, open, close) => {
    const deep = JSON.parse(open.repeat(10_000) + '{}' + close.repeat(10_000)) as unknown
    const document = changed([`${name} deep`, deep])
    expect(checkDocument(document)).toMatchObject([{place: '', rule: 'depth', isBreach: true}])
    expect(() => readDocument(document)).toThrow(DocumentError)
  })

  test('a method with many parameters is checked in linear time', () => {
    const names = Array.from({length: 30_000}, (_, index) => `p${index}`)
    const parameter = {type: 'string', location: 'query', required: true}
    const findings = found(
      [`${list} parameters`, Object.fromEntries(names.map(name => [name, parameter]))],
      [`${list} parameterOrder`, [...names.slice(1).reverse(), 'other']],
    )
    expect(findings.map(({rule, isBreach}) => [rule, isBreach])).toEqual([
      ['parameter-order', true],
      ['parameter-order', false],
    ])
  })

  test('10,000 methods are all checked', () => {
    const methods = Object.fromEntries(
      Array.from({length: 10_000}, (_, index) => [
        `m${index}`,
        {id: `drive.many.m${index}`, path: `many/{id}`, httpMethod: 'GET'},
      ]),
    )
    const findings = found(['resources many', {methods}])
    expect(findings).toHaveLength(10_000)
    expect(findings.at(-1)?.place).toBe('resources.many.methods.m9999.parameters.id')
  })
})
