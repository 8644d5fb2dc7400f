import {readDocument} from '#lib/api/document/read.js'

/** Documents as other services might publish them. */

/** A small document with features that the built-in description lacks. */
export const nested = readDocument({
  kind: 'discovery#restDescription',
  id: 'library:v1',
  title: 'Library',
  rootUrl: 'https://library.example/',
  servicePath: '',
  methods: {
    ping: {
      id: 'library.ping',
      path: 'v1/ping',
      httpMethod: 'GET',
      description: 'Say that it is there.',
    },
  },
  resources: {
    shelves: {
      methods: {
        get: {
          id: 'library.shelves.get',
          path: 'v1/{+name}',
          httpMethod: 'GET',
          parameters: {
            name: {type: 'string', location: 'path', required: true},
            view: {type: 'string', location: 'query', repeated: true, enum: ['BASIC', 'FULL']},
          },
        },
      },
      resources: {
        books: {
          deprecated: true,
          methods: {
            get: {
              id: 'library.shelves.books.get',
              path: 'v1/shelves/{shelf-id}/books/{book}',
              httpMethod: 'GET',
              parameters: {
                'shelf-id': {type: 'string', location: 'path', required: true},
                book: {type: 'integer', format: 'int32', location: 'path', required: true},
              },
            },
            first: {
              id: 'library.shelves.books.first',
              path: 'v1/shelves/{shelf-id}/books/first',
              httpMethod: 'GET',
            },
          },
        },
      },
    },
  },
})

/** Text that would end a comment, a string or a template, or that the compiler would obey. */
const BREAKOUT = "*/ throw new Error('out') /*"
const TEXTS = [
  BREAKOUT,
  '@ts-expect-error',
  '`${process.exit(1)}`',
  "'; throw 1; '",
  'one\nexport const two = 2\u2028export const three = 3\r',
  '\\',
  '\u202Eesrever',
  '\uD800',
]

/** A schema of every type, with each text in every possible place. */
function hostileSchema(text: string): object {
  return {
    type: 'object',
    description: text,
    properties: {
      [text]: {
        type: 'string',
        description: text,
        enum: [text, text, 'plain'],
        enumDescriptions: [text],
      },
      many: {
        type: 'array',
        description: text,
        items: {type: 'string', enum: [text, 'b'.repeat(60)]},
      },
      map: {type: 'object', additionalProperties: {$ref: text}, format: text, default: text},
      lost: {$ref: 'toString', pattern: text, deprecated: true},
      lists: {type: 'array', items: {type: 'array', items: {type: 'object', properties: {}}}},
      both: {
        type: 'object',
        properties: {a: {type: 'number'}},
        additionalProperties: {type: 'boolean'},
      },
    },
  }
}

const NAMES = [
  ...'Call Content Refusal CallOptions TypeError Set Map JSON URL AsyncGenerator Headers Math'.split(
    ' ',
  ),
  ...'Promise Record Response Blob Error String Object Array Omit With Client ApiError CommonParameters'.split(
    ' ',
  ),
  ...'string any class default await __proto__ constructor toString hasOwnProperty 7up Seven-Up'.split(
    ' ',
  ),
  ...['seven.up', 'SevenUp', 'SevenUp2', 'größe', '', ' ', 'ClassGetParameters', 'api', 'options'],
  ...TEXTS,
]

const method = (name: string) => ({
  id: name,
  path: `${name.replace(/[{}]/g, '')}/{${name}}/{+rest}`,
  httpMethod: 'POST',
  description: name,
  deprecated: true,
  parameters: {
    [name]: {type: 'string', location: 'query', description: name, enum: [name, 'other']},
    lists: {type: 'array', repeated: true, items: {type: 'string', enum: ['x']}},
  },
  request: {$ref: name},
  response: {$ref: name},
  supportsMediaDownload: true,
  mediaUpload: {
    protocols: {simple: {multipart: true, path: `//evil.example/${name.replace(/[{}]/g, '')}`}},
  },
})

const map = <T>(names: readonly string[], make: (name: string) => T) =>
  JSON.parse(
    `{${names.map(name => `${JSON.stringify(name)}:${JSON.stringify(make(name))}`).join(',')}}`,
  )

/** A malicious document, to attack programs generated from it. */
export const hostile = readDocument({
  kind: 'discovery#restDescription',
  id: `evil\n${BREAKOUT}`,
  revision: `1\u2028${BREAKOUT}`,
  title: BREAKOUT,
  rootUrl: "https://evil.example/';throw 1;'/",
  servicePath: "'; throw 1; '",
  parameters: map(NAMES, name => ({type: 'string', description: name, enum: [name]})),
  schemas: {
    ...map(NAMES, hostileSchema),
    Loop: {$ref: 'Pool'},
    Pool: {$ref: 'Loop'},
    Self: {$ref: 'Self'},
    // Keys next to a reference are ignored.
    Beside: {
      $ref: 'Word',
      properties: {
        nextPageToken: {type: 'string'},
        a: {type: 'string', annotations: {required: ['beside']}},
      },
    },
    Page: {type: 'object', properties: {nextPageToken: {type: 'string', items: {type: 'string'}}}},
    Tree: {type: 'array', items: {$ref: 'Tree'}},
    Forest: {type: 'object', additionalProperties: {$ref: 'Forest'}},
    Word: {type: 'string', enum: TEXTS},
    Needy: {type: 'object', properties: map(NAMES, () => ({annotations: {required: ['needy']}}))},
    Odd: {type: 7, properties: 'none', enum: 'all', items: [], annotations: 3, description: {}},
    Odder: {type: 'object', properties: {a: null, b: [], c: {enum: [1, null], $ref: 5}}},
  },
  methods: map(NAMES, method),
  resources: {
    ...map(NAMES, name => ({
      methods: map([name], method),
      resources: map([name], () => ({methods: map(['get'], method)})),
    })),
    odd: {
      methods: {
        beside: {
          id: 'beside',
          path: 'x',
          httpMethod: 'PUT',
          request: {$ref: 'Beside'},
          response: {$ref: 'Beside'},
        },
        pages: {
          id: 'pages',
          path: 'x',
          httpMethod: 'GET',
          parameters: {pageToken: {type: 'string', location: 'query'}},
          response: {$ref: 'Page'},
        },
        besides: {
          id: 'besides',
          path: 'x',
          httpMethod: 'GET',
          parameters: {pageToken: {type: 'string', location: 'query'}},
          response: {$ref: 'Beside'},
        },
        needy: {id: 'needy', path: 'x', httpMethod: 'POST', request: {$ref: 'Needy'}},
        get: {
          id: 'x',
          path: 'y',
          httpMethod: "GET'",
          request: 7,
          response: {$ref: 7},
          mediaUpload: 'all',
        },
      },
    },
  },
})
