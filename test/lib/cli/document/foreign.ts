/** The description of another service, with features that drv's lacks, and with malicious values. */

const ESCAPE = '\u001b[2J\u202e\n\u009b31m'

const PROTOTYPE = JSON.parse(
  '{"__proto__": {"type": "object", "properties": {"__proto__": {"type": "string"}}}}',
) as Record<string, unknown>

export const FOREIGN = {
  kind: 'discovery#restDescription',
  name: 'shelf',
  version: 'v3',
  revision: '7',
  title: `Shelves${ESCAPE}`,
  description: 'First line.\nSecond line.',
  documentationLink: 'https://shelf.example.com/docs',
  icons: {x16: 'https://shelf.example.com/16.png', x32: 'https://shelf.example.com/32.png'},
  labels: ['limited_availability'],
  features: ['dataWrapper'],
  rootUrl: 'https://shelf.example.com/',
  servicePath: '',
  batchPath: 'batch',
  endpoints: [
    {endpointUrl: 'https://eu.shelf.example.com/', location: 'eu', description: 'In Europe.'},
    {endpointUrl: 'https://old.shelf.example.com/', location: 'old', deprecated: true},
    5,
  ],
  parameters: {
    alt: {
      type: 'string',
      location: 'query',
      enum: ['json', 'media'],
      enumDescriptions: ['Text.', 'Content.'],
      default: 'json',
    },
  },
  auth: {
    oauth2: {
      scopes: {
        'https://shelf.example.com/auth/all': {description: 'Everything.'},
        'https://www.googleapis.com/auth/shelf.read': {description: 'To look.'},
      },
    },
  },
  schemas: {
    Book: {
      id: 'Book',
      type: 'object',
      description: `A book. ${ESCAPE}`,
      properties: {
        title: {type: 'string', annotations: {required: ['shelf.books.insert', 'other.x']}},
        state: {
          type: 'string',
          enum: ['NEW', 'OLD', 'WORN'],
          enumDescriptions: ['As bought.', 'Read once.'],
          enumDeprecated: [false, true],
          readOnly: true,
        },
        size: {
          type: 'object',
          properties: {
            height: {type: 'number', format: 'google-length', minimum: '1', maximum: '99'},
            width: {type: 'quantity', deprecated: true},
          },
        },
        pages: {type: 'array', items: {type: 'object', properties: {number: {type: 'integer'}}}},
        notes: {
          type: 'object',
          additionalProperties: {type: 'object', properties: {by: {$ref: 'Person'}}},
        },
        author: {$ref: 'Person', description: 'Who wrote it.'},
        lost: {$ref: 'constructor'},
        marks: {type: 'array', items: {type: 'array', items: {type: 'string', enum: ['A', 'B']}}},
        strange: 5,
      },
    },
    Person: {
      type: 'object',
      description: 'Somebody.',
      properties: {name: {type: 'string'}, friends: {$ref: 'People'}},
    },
    People: {type: 'array', items: {$ref: 'Person'}},
    Circle: {$ref: 'Ring'},
    Ring: {$ref: 'Circle'},
    Odd: {
      type: 7,
      description: ['x'],
      enum: 'abc',
      enumDescriptions: 4,
      properties: 'none',
      items: [],
      annotations: {required: 'all'},
      pattern: {},
      default: '',
    },
    ...PROTOTYPE,
  },
  methods: {
    ping: {id: 'shelf.ping', path: 'ping', httpMethod: 'GET'},
  },
  resources: {
    books: {
      deprecated: true,
      methods: {
        insert: {
          id: 'shelf.books.insert',
          path: 'v3/{+parent}/books',
          flatPath: 'v3/shelves/{shelvesId}/books',
          httpMethod: 'POST',
          description: 'Puts a book on a shelf.',
          deprecated: true,
          parameterOrder: ['parent'],
          parameters: {
            parent: {
              type: 'string',
              location: 'path',
              required: true,
              pattern: '^shelves/[^/]+$',
              description: 'Which shelf.',
            },
            tag: {type: 'string', format: 'rune', location: 'query', repeated: true},
            copies: {type: 'integer', minimum: '1', default: '1', location: 'query'},
          },
          request: {$ref: 'Book'},
          response: {$ref: 'Book'},
          scopes: [
            'https://www.googleapis.com/auth/shelf.read',
            'https://shelf.example.com/auth/all',
          ],
          supportsMediaUpload: true,
          mediaUpload: {
            accept: ['application/pdf', 'image/*'],
            maxSize: '2GB',
            protocols: {
              simple: {multipart: true, path: '/upload/v3/{+parent}/books'},
              resumable: {multipart: false, path: '/resumable/upload/v3/{+parent}/books'},
              pigeon: 1,
            },
          },
          supportsMediaDownload: true,
          useMediaDownloadService: true,
          supportsSubscription: true,
        },
      },
      resources: {
        pages: {
          methods: {
            turn: {id: 'shelf.books.pages.turn', path: 'pages/{page}/turn', httpMethod: 'POST'},
          },
        },
      },
    },
  },
}
