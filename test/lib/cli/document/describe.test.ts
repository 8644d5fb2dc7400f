import {existsSync, readFileSync} from 'node:fs'
import {fileURLToPath} from 'node:url'
import stringWidth from 'string-width'
import {describe, expect, test} from 'vitest'
import {description} from '#lib/api/description/index.js'
import {readDocument} from '#lib/api/document/read.js'
import {methodsIn} from '#lib/api/document/walk.js'
import {operations} from '#lib/api/operations.js'
import {describeEntry} from '#lib/cli/document/describe.js'
import {builtIn} from '#lib/cli/document/profile-document.js'
import {FOREIGN} from './foreign.js'

const own = builtIn()
const foreign = {json: FOREIGN as unknown, document: readDocument(FOREIGN), source: 'shelf.json'}
type Given = typeof foreign

const all = (given: Given = own) => describeEntry(given, [])
const named = (name: string, given: Given = own) => describeEntry(given, name.split(' '))
const textOf = (name: string, width = Infinity) => named(name, foreign).text(width)

/** Everything with a name, and the fields of records one level down. */
function namesOf({document}: Given): string[] {
  return [
    ...methodsIn(document).map(({name}) => name),
    ...Object.keys(document.resources),
    ...Object.entries(document.schemas).flatMap(([id, {properties}]) => [
      id,
      ...(typeof properties === 'object' ? Object.keys(properties) : [])
        .filter(field => field !== 'strange')
        .map(field => `${id}.${field}`),
    ]),
    ...Object.keys(document.parameters),
    ...Object.keys(document.auth.oauth2.scopes),
  ]
}

test('the overview lists everything in the document', () => {
  const {json, text} = all()
  expect(json).toBe(description)
  const shown = text(Infinity)
  for (const {operationId} of operations) expect(shown).toContain(operationId)
  for (const id of Object.keys(description.schemas)) expect(shown).toContain(id)
  for (const name of Object.keys(description.parameters)) expect(shown).toContain(name)
  expect(shown).toRead()
})

test('the overview of another service shows all of its metadata', () => {
  const shown = all(foreign).text(80)
  expect(shown).toRead()
  expect(shown).toContain('First line. Second line.')
  for (const line of [
    /^Name +shelf:v3$/m,
    /^Revision +7$/m,
    /^URL +https:\/\/shelf\.example\.com\/$/m,
    /^Batches +https:\/\/shelf\.example\.com\/batch$/m,
    /^Documentation +https:\/\/shelf\.example\.com\/docs$/m,
    /^Icons +x16 https:\/\/shelf\.example\.com\/16\.png\n +x32 https/m,
    /^Labels +limited_availability$/m,
    /^Features +dataWrapper$/m,
    /^Endpoints +https:\/\/eu\.shelf\.example\.com\/ eu, In Europe\.\n +https:\S+ old, deprecated$/m,
    /^ping +GET +ping$/m,
    /^books\.insert +POST +v3\/\{\+parent\}\/books \(deprecated\)$/m,
    /^books\.pages\.turn +POST +pages\/\{page\}\/turn$/m,
    /^Scopes: https:\/\/shelf\.example\.com\/auth\/all, shelf\.read$/m,
    /^Source: shelf\.json$/m,
  ]) {
    expect(shown).toMatch(line)
  }
})

describe('a name', () => {
  test.each([
    ['files.trash', 'files.trash'],
    ['drive.files.trash', 'files.trash'],
    ['files trash', 'files.trash'],
    ['files generate-ids', 'files.generateIds'],
    ['files.generateIds', 'files.generateIds'],
    ['FILES.generateids', 'files.generateIds'],
    ['permissions getIdForEmail', 'permissions.getIdForEmail'],
  ])('%s is the method %s', (words, id) => {
    const {json, text} = named(words)
    expect(json).toMatchObject({id: `drive.${id}`})
    expect(text(80)).toContain(`${id}: `)
  })

  test.each<[string, string, unknown]>([
    ['ping', 'ping\n', FOREIGN.methods.ping],
    ['shelf.ping', 'ping\n', FOREIGN.methods.ping],
    [
      'books pages.turn',
      'books.pages.turn\n',
      FOREIGN.resources.books.resources.pages.methods.turn,
    ],
    ['books', 'books (deprecated)\n', FOREIGN.resources.books],
    ['books.pages', 'books.pages\n', FOREIGN.resources.books.resources.pages],
    ['Book', 'Book: A book. [2J 31m\n', FOREIGN.schemas.Book],
    [
      'book.size.HEIGHT',
      'Book.size.height\n',
      FOREIGN.schemas.Book.properties.size.properties.height,
    ],
    ['Book.author.name', 'Book.author.name\n', FOREIGN.schemas.Person.properties.name],
    ['Book.author', 'Book.author: Who wrote it.\n', FOREIGN.schemas.Book.properties.author],
    [
      'Book.notes.by.friends.name',
      'Book.notes.by.friends.name\n',
      FOREIGN.schemas.Person.properties.name,
    ],
    ['Book.pages.number', 'Book.pages.number\n', {type: 'integer'}],
    ['alt', 'alt\n', FOREIGN.parameters.alt],
    ['shelf.read', 'shelf.read  To look.\n', {description: 'To look.'}],
    ['https://shelf.example.com/auth/all', 'https://shelf.example', {description: 'Everything.'}],
    [
      '__proto__',
      '__proto__\n',
      Object.getOwnPropertyDescriptor(FOREIGN.schemas, '__proto__')!.value,
    ],
    ['__proto__.__proto__', '__proto__.__proto__\n', {type: 'string'}],
  ])('%s is a part of the document, unchanged', (words, head, part) => {
    const {json, text} = named(words, foreign)
    expect(json).toBeTruthy()
    expect(json).toEqual(part)
    expect(text(80).startsWith(head), text(80)).toBe(true)
  })

  test.each(['File', 'file', 'About'])('%s is a record', name => {
    const {json} = named(name)
    expect(json).toBe(description.schemas[name[0]!.toUpperCase() + name.slice(1)])
  })

  test.each([
    ['files trsh', 'Did you mean "files.trash"?'],
    ['Permision', 'Did you mean "Permission"?'],
    ['File.labls.trashed', 'Did you mean "File.labels"?'],
    ['File.labels.trased', 'Did you mean "File.labels.trashed"?'],
    ['File.labels.zzzzzz', 'Run `drv api describe File.labels` to list its fields.'],
    ['prettyprnt', 'Did you mean "prettyPrint"?'],
    ['drive.metadta', 'Did you mean "drive.metadata"?'],
    ['entirely-different', 'Run `drv api describe` to list all names.'],
    ['constructor', 'Run `drv api describe` to list all names.'],
  ])('%s does not exist and gets a suggestion', (words, hint) => {
    expect(() => named(words)).toThrow(expect.objectContaining({hint}))
  })
})

describe('a method', () => {
  test('is shown with everything a caller needs', () => {
    expect(textOf('books.insert', 80)).toBe(`books.insert (deprecated): Puts a book on a shelf.

Command    drv api call books.insert
Request    POST /v3/{+parent}/books
Flat path  /v3/shelves/{shelvesId}/books
Body       Book, with title
Response   Book
Upload     simple: /upload/v3/{+parent}/books (also multipart)
           resumable: /resumable/upload/v3/{+parent}/books
           pigeon:
           accepts application/pdf, image/*; at most 2GB
Download   the content, with alt=media, also at /download/v3/{+parent}/books
Watch      supports notification channels

Parameters
parent  string         in the path, required  Which shelf.
    Pattern: ^shelves/[^/]+$
tag     string (rune)  repeated
copies  integer
    At least 1. Default: 1.

Common parameters: alt

Scopes (any one is sufficient)
shelf.read                          To look.
    https://www.googleapis.com/auth/shelf.read
https://shelf.example.com/auth/all  Everything.

Source: shelf.json
`)
  })

  test('of drv names its command', () => {
    expect(named('permissions.getIdForEmail').text(80)).toMatch(
      /^Command +drv permissions get-id-for-email$/m,
    )
  })

  test('is shown with descriptions on separate lines only if they do not fit', () => {
    expect(named('files.trash').text(Infinity)).toRead()
    expect(named('files.trash').text(60)).toRead()
  })
})

describe('a record', () => {
  test('is shown with its fields, their values and who requires them', () => {
    expect(textOf('Book', 80)).toBe(`Book: A book. [2J 31m

title   string
    Required by: books.insert, other.x
state   string                  read only
    Values:
        NEW               As bought.
        OLD   deprecated  Read once.
        WORN
size    object
    Fields: height, width
pages   list of object
    Fields: number
notes   map of object
    Fields: by
author  Person                             Who wrote it.
lost    constructor
marks   list of list of string
    Values: A, B

To see the fields of a nested object, run \`drv api describe Book.size\`.

Source: shelf.json
`)
  })

  test('and so is a field of any type', () => {
    expect(textOf('Book.size.height')).toBe(
      'Book.size.height\n\nType  number (google-length)\nFrom 1 to 99.\n\nSource: shelf.json\n',
    )
    expect(textOf('Book.size.width')).toContain(
      'Book.size.width (deprecated)\n\nType        quantity\nAttributes  deprecated\n',
    )
    expect(textOf('alt')).toContain('Values:\n    json   Text.\n    media  Content.\n')
    expect(textOf('Book.notes.by')).toMatch(/^Book\.notes\.by: Somebody\.\n\nType {2}Person\n/)
    expect(textOf('Circle')).toBe('Circle\n\nType  Ring\n\nSource: shelf.json\n')
  })
})

const REFERENCE = fileURLToPath(
  new URL('../../../../../shared/reference/drive-v2.description.json', import.meta.url),
)

/** The description of the public service, which is not part of this project and may be missing. */
function publicDocument(): Given[] {
  if (!existsSync(REFERENCE)) return []
  const json: unknown = JSON.parse(readFileSync(REFERENCE, 'utf8'))
  return [{json, document: readDocument(json), source: REFERENCE}]
}

test.each<[number, readonly Given[]]>([
  [30, [foreign]],
  [80, [own, foreign, ...publicDocument()]],
  [120, [foreign]],
])('no line is longer than %i columns', (width, documents) => {
  for (const given of documents) {
    for (const {text} of [all(given), ...namesOf(given).map(name => named(name, given))]) {
      // There are thousands; one `expect` for each would take most of the time.
      const lines = text(width).split('\n')
      expect(lines.filter(line => stringWidth(line) > width)).toEqual([])
      expect(lines.filter(line => line !== line.trimEnd())).toEqual([])
    }
  }
})

test.each([30, 80, Infinity])('all words are kept at %i columns', width => {
  const words = (text: string) => text.replace(/\s+/g, '')
  for (const {operationId, parameters} of operations) {
    const shown = words(named(operationId).text(width))
    for (const [name, {description = '', enum: values = []}] of Object.entries(parameters)) {
      for (const part of [name, description, ...values]) expect(shown).toContain(words(part))
    }
  }
})

test('control characters of a document never reach the terminal', () => {
  for (const {text} of [all(foreign), ...namesOf(foreign).map(name => named(name, foreign))]) {
    expect(text(80)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
  }
})
