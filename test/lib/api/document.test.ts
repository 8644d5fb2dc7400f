import {describe, expect, test} from 'vitest'
import {checkDocument} from './document.js'

/** A small document with one of everything. Made anew for every test, so that a test may break it. */
function valid() {
  return {
    kind: 'discovery#restDescription',
    name: 'shelf',
    rootUrl: 'https://shelf.example/',
    servicePath: 'shelf/v1/',
    parameters: {
      alt: {type: 'string', location: 'query', default: 'json', enum: ['json', 'media']},
    },
    auth: {oauth2: {scopes: {read: {description: 'Read.'}, write: {description: 'Write.'}}}},
    schemas: {
      Book: {
        id: 'Book',
        type: 'object',
        properties: {
          title: {type: 'string', annotations: {required: ['shelf.books.put']}},
          sequels: {type: 'array', items: {$ref: 'Book'}},
          notes: {type: 'object', additionalProperties: {type: 'string'}},
        },
      },
    },
    resources: {
      books: {
        methods: {
          get: {
            id: 'shelf.books.get',
            path: 'books/{bookId}',
            httpMethod: 'GET',
            parameters: {
              bookId: {type: 'string', location: 'path', required: true},
              pages: {
                type: 'integer',
                format: 'int32',
                location: 'query',
                default: '10',
                minimum: '1',
                maximum: '100',
              },
            },
            parameterOrder: ['bookId'],
            response: {$ref: 'Book'},
            scopes: ['read'],
          },
          put: {
            id: 'shelf.books.put',
            path: 'books/{bookId}',
            httpMethod: 'PUT',
            parameters: {bookId: {type: 'string', location: 'path', required: true}},
            parameterOrder: ['bookId'],
            request: {$ref: 'Book'},
            scopes: ['write'],
            mediaUpload: {
              accept: ['*/*'],
              maxSize: '2GB',
              protocols: {simple: {multipart: true, path: '/upload/shelf/v1/books/{bookId}'}},
            },
          },
        },
        resources: {
          loans: {
            methods: {list: {id: 'shelf.books.loans.list', path: 'loans', httpMethod: 'GET'}},
          },
        },
      },
    },
  }
}

/** Puts `value` where the keys lead; `undefined` takes the last key away. */
function broken(path: string, value: unknown): unknown {
  const document = valid()
  const keys = path.split(' ')
  const last = keys.pop()!
  let node = document as unknown as Record<string, Record<string, never>>
  for (const key of keys) node = node[key]! as typeof node
  if (value === undefined) delete node[last]
  else node[last] = value as never
  return document
}

const get = 'resources books methods get'
const put = 'resources books methods put'
const at = (path: string) => path.replaceAll(' ', '.')

describe('checkDocument', () => {
  test('finds nothing wrong with a valid document', () => {
    expect(checkDocument(valid())).toEqual([])
  })

  test('is content with what a reader cannot do without', () => {
    const least = {kind: 'discovery#restDescription', rootUrl: 'http://a/', servicePath: ''}
    expect(checkDocument(least)).toEqual([])
  })

  test('ignores unknown keys at every level', () => {
    expect(checkDocument(broken(`${get} etagRequired`, 7))).toEqual([])
    expect(checkDocument(broken('mtlsRootUrl', null))).toEqual([])
  })

  test.each([null, undefined, 'text', 1, []])('%j is no document', value => {
    expect(checkDocument(value)).toEqual(['document: must be an object.'])
  })

  test.each<[string, unknown, string]>([
    ['kind', 'discovery#directoryList', 'kind: must be discovery#restDescription.'],
    ['rootUrl', undefined, 'rootUrl: is missing.'],
    ['servicePath', 5, 'servicePath: must be text.'],
    ['protocol', 'soap', 'protocol: must be rest.'],
    ['labels', 'deprecated', 'labels: must be an array.'],
    ['features', ['a', 1], 'features[1]: must be text.'],
    ['icons', {x16: 16}, 'icons.x16: must be text.'],
    ['endpoints', [{deprecated: 'no'}], 'endpoints[0].deprecated: must be true or false.'],
    ['resources', [], 'resources: must be an object.'],
    ['auth', {}, 'auth.oauth2: is missing.'],
    ['auth oauth2 scopes read', 'Read.', 'auth.oauth2.scopes.read: must be an object.'],
    ['parameters alt location', undefined, 'parameters.alt.location: is missing.'],
    ['parameters alt location', 'header', 'parameters.alt.location: must be one of path, query.'],
    ['schemas Book readOnly', 'yes', 'schemas.Book.readOnly: must be true or false.'],
    [
      'schemas Book properties sequels items $ref',
      1,
      'schemas.Book.properties.sequels.items.$ref: must be text.',
    ],
    [
      'schemas Book properties notes additionalProperties type',
      'map',
      'schemas.Book.properties.notes.additionalProperties.type: must be one of string, integer, number, boolean, object, array, any, null.',
    ],
    [
      'schemas Book properties title annotations required',
      'shelf.books.put',
      'schemas.Book.properties.title.annotations.required: must be an array.',
    ],
    [
      'resources books resources loans methods list path',
      undefined,
      'resources.books.resources.loans.methods.list.path: is missing.',
    ],
    [
      `${get} httpMethod`,
      'get',
      `${at(get)}.httpMethod: must be one of GET, POST, PUT, PATCH, DELETE, HEAD.`,
    ],
    [`${get} response`, {}, `${at(get)}.response.$ref: is missing.`],
    [
      `${get} parameters pages minimum`,
      'one',
      `${at(get)}.parameters.pages.minimum: must be a number written as text.`,
    ],
    [
      `${get} parameters pages maximum`,
      100,
      `${at(get)}.parameters.pages.maximum: must be a number written as text.`,
    ],
    [
      `${put} mediaUpload maxSize`,
      '2 gigabytes',
      `${at(put)}.mediaUpload.maxSize: must be a size such as 1MB, 2GB or 3TB.`,
    ],
    [
      `${put} mediaUpload protocols resumable`,
      {multipart: true},
      `${at(put)}.mediaUpload.protocols.resumable.path: is missing.`,
    ],
  ])('shape: %s = %j', (path, value, problem) => {
    expect(checkDocument(broken(path, value))).toEqual([problem])
  })

  test.each<[string, unknown, string]>([
    [
      'schemas Book properties sequels items $ref',
      'Tome',
      'schemas.Book.properties.sequels.items.$ref: names "Tome", which is not a schema.',
    ],
    [
      `${get} response $ref`,
      'toString',
      `${at(get)}.response.$ref: names "toString", which is not a schema.`,
    ],
    [
      `${put} request $ref`,
      'Tome',
      `${at(put)}.request.$ref: names "Tome", which is not a schema.`,
    ],
    [
      `${get} path`,
      'books/{bookId}/{+chapter}',
      `${at(get)}.parameters.chapter: is named in the path, but is missing.`,
    ],
    [
      `${get} path`,
      'books',
      `${at(get)}.parameters.bookId: has the location path, but the path does not name it.`,
    ],
    [
      `${get} parameters bookId location`,
      'query',
      `${at(get)}.parameters.bookId: is named in the path, so it belongs there.`,
    ],
    [
      `${get} parameters pages enumDescriptions`,
      ['One.'],
      `${at(get)}.parameters.pages.enumDescriptions: must have as many entries as enum, 0, but has 1.`,
    ],
    [
      'parameters alt enumDeprecated',
      [true],
      'parameters.alt.enumDeprecated: must have as many entries as enum, 2, but has 1.',
    ],
    ['parameters alt default', 'xml', 'parameters.alt.default: "xml" is not one of json, media.'],
    [
      `${get} parameters pages default`,
      '1.5',
      `${at(get)}.parameters.pages.default: "1.5" is not a whole number.`,
    ],
    [
      `${get} parameters pages default`,
      '0',
      `${at(get)}.parameters.pages.default: "0" is below the minimum, 1.`,
    ],
    [
      `${get} parameters pages default`,
      '101',
      `${at(get)}.parameters.pages.default: "101" is above the maximum, 100.`,
    ],
    [
      `${get} parameters pages`,
      {type: 'boolean', location: 'query', default: 'yes'},
      `${at(get)}.parameters.pages.default: "yes" is not true or false.`,
    ],
    [
      `${get} parameters pages`,
      {type: 'number', location: 'query', default: 'half'},
      `${at(get)}.parameters.pages.default: "half" is not a number.`,
    ],
    [
      `${get} parameters pages`,
      {type: 'string', format: 'int64', location: 'query', default: 'many'},
      `${at(get)}.parameters.pages.default: "many" is not a whole number.`,
    ],
    [
      'resources books resources loans methods list id',
      'shelf.loans.list',
      'resources.books.resources.loans.methods.list.id: is "shelf.loans.list", but its place in the document makes it "shelf.books.loans.list".',
    ],
    [`${get} scopes`, ['peek'], `${at(get)}.scopes: names "peek", which is not a scope of auth.`],
    [
      'schemas Book properties title annotations required',
      ['shelf.books.insert'],
      'schemas.Book.properties.title.annotations.required: names "shelf.books.insert", which is not a method.',
    ],
    [
      `${put} mediaUpload protocols simple path`,
      '/upload/shelf/v1/books',
      `${at(put)}.mediaUpload.protocols.simple.path: must have the same placeholders as the path of the method.`,
    ],
    [
      `${get} parameterOrder`,
      ['bookId', 'pages'],
      `${at(get)}.parameterOrder: names "pages", which is not a required parameter.`,
    ],
    [
      `${get} parameterOrder`,
      ['bookId', 'constructor'],
      `${at(get)}.parameterOrder: names "constructor", which is not a required parameter.`,
    ],
  ])('consistency: %s = %j', (path, value, problem) => {
    expect(checkDocument(broken(path, value))).toContain(problem)
  })

  test('a path parameter must be required', () => {
    expect(checkDocument(broken(`${get} parameters bookId required`, false))).toEqual([
      `${at(get)}.parameters.bookId: is named in the path, so it must be required.`,
      `${at(get)}.parameterOrder: names "bookId", which is not a required parameter.`,
    ])
  })

  test('an id belongs to one method', () => {
    const document = broken(`${put} id`, 'shelf.books.get') as {name?: string}
    expect(checkDocument(document)).toContain(
      `${at(put)}.id: "shelf.books.get" is already the id of ${at(get)}.`,
    )
  })

  test('says all that is wrong, in the order of the document', () => {
    const document = {...valid(), kind: 1, title: 2, labels: [3]}
    expect(checkDocument(document)).toEqual([
      'kind: must be discovery#restDescription.',
      'title: must be text.',
      'labels[0]: must be text.',
    ])
  })

  test('reads the operators of a path template', () => {
    const document = valid()
    document.resources.books.methods.get.path = 'books/{+bookId}{?pages*}'
    document.resources.books.methods.get.parameters.pages.location = 'path'
    expect(checkDocument(document)).toEqual([
      `${at(get)}.parameters.pages: is named in the path, so it must be required.`,
    ])
  })
})
