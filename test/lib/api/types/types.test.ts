import {format, resolveConfig} from 'prettier'
import {describe, expect, test} from 'vitest'
import {description} from '#lib/api/description/index.js'
import {readDocument} from '#lib/api/document/read.js'
import {typesModule} from '#lib/api/document/types/index.js'
import {methodsIn} from '#lib/api/document/walk.js'
import {outcomeOf} from '../../../parse/command.js'
import {complaintsOf, surroundings} from './compile.js'
import {hostile, nested} from './documents.js'

const builtIn = readDocument(description)

const chosen = (...names: readonly string[]) =>
  methodsIn(builtIn).filter(({name}) => names.includes(name))

/** Programs of users: correct ones compile, incorrect ones do not. */
const USE = `
import {ApiError, createClient, type Client, type File, type FilesListParameters} from './drive.js'
import {createClient as createLibrary} from './library.js'

const client: Client = createClient({token: async () => 'secret', fetch: globalThis.fetch})
export const wish: FilesListParameters = {q: 'trashed = false', maxResults: 5, fields: 'items(id)'}

export async function right() {
  for await (const page of client.files.listPages(wish)) {
    for (const {id, title, labels} of page.items ?? []) console.log(id, title, labels?.trashed)
  }
  const media = new Blob(['text'], {type: 'text/plain'})
  const file: File = await client.files.insert({}, {title: 'a'}, {media, signal: AbortSignal.timeout(1)})
  const size: string | undefined = file.fileSize
  const bytes = await (await client.files.getMedia({fileId: 'x'})).arrayBuffer()
  const text: string = await (await client.files.export({fileId: 'x', mimeType: 'text/plain'})).text()
  const role: string | undefined = (await client.permissions.get({fileId: 'x', permissionId: 'y'})).role
  const ids = await client.files.generateIds()
  await client.permissions.insert({fileId: 'x'}, {role: 'reader', type: 'user', value: 'a@b.example'})
  await createLibrary().shelves.get({name: 'shelves/1', view: ['BASIC', 'FULL']})
  await createLibrary().shelves.books.get({'shelf-id': 'a', book: 1})
  const nothing: void = await createLibrary().ping()
  return {size, bytes, text, role, ids, nothing}
}

export async function wrong() {
  // @ts-expect-error: a missing required parameter
  await client.files.get({})
  // @ts-expect-error: missing parameters
  await client.files.get()
  // @ts-expect-error: a misspelled parameter
  await client.files.list({query: 'x'})
  // @ts-expect-error: a number as text
  await client.files.list({maxResults: '5'})
  // @ts-expect-error: an invalid value
  await client.files.insert({visibility: 'PUBLIC'})
  // @ts-expect-error: an unknown field
  await client.files.insert({}, {name: 'a'})
  // @ts-expect-error: missing fields that the method requires
  await client.permissions.insert({fileId: 'x'}, {role: 'reader'})
  // @ts-expect-error: content for a method that accepts none
  await client.files.copy({fileId: 'x'}, {}, {media: new Blob([])})
  // @ts-expect-error: content that is not a Blob
  await client.files.insert({}, {}, {media: 'text'})
  // @ts-expect-error: a 64-bit number is text
  const size: number | undefined = (await client.files.get({fileId: 'x'})).fileSize
  // @ts-expect-error: an unknown method
  await client.files.rename({fileId: 'x'})
  // @ts-expect-error: a token among the parameters, and so in the URL
  await client.files.list({access_token: 'secret'})
  // @ts-expect-error: the method returns nothing
  const id: string = (await client.files.delete({fileId: 'x'})).id
  // @ts-expect-error: a field that only the service sets
  ;(await client.files.get({fileId: 'x'})).fileSize = '1'
  // @ts-expect-error: the wrong type of body
  new ApiError('404', '', '', undefined)
  // @ts-expect-error: a method without parameters
  await createLibrary().ping({any: 'thing'})
  // @ts-expect-error: an invalid value in a list
  await createLibrary().shelves.get({name: 'x', view: ['ALL']})
  return {size, id}
}
`

test.each(Object.entries(surroundings))(
  'modules compile in %s, whatever the document contains, and incorrect programs do not',
  (_, where) => {
    const modules = {
      'drive.ts': typesModule(builtIn),
      'two.ts': typesModule(builtIn, chosen('files.list', 'about.get')),
      'none.ts': typesModule({...builtIn, resources: {}}),
      'library.ts': typesModule(nested),
      'hostile.ts': typesModule(hostile),
      'use.ts': USE,
    }
    expect(complaintsOf(modules, where)).toEqual([])
  },
)

describe('the text', () => {
  test('starts with its source, and is deterministic', () => {
    const text = typesModule(builtIn)
    expect(text.split('\n')[0]).toRead()
    expect(typesModule(readDocument(JSON.parse(JSON.stringify(description))))).toBe(text)
  })

  test.each([
    ['the built-in description', typesModule(builtIn)],
    ['another', typesModule(nested)],
  ])('is formatted like prettier: %s', async (_, text) => {
    const config = await resolveConfig(import.meta.filename)
    expect(await format(text, {...config, parser: 'typescript'})).toBe(text)
  })

  test('contains no hidden or control characters', () => {
    expect(typesModule(hostile)).not.toMatch(/(?!\n)[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202A-\u202E]/u)
  })

  test('has the requested methods, and the records that they use', () => {
    const text = typesModule(builtIn, chosen('revisions.list'))
    const names = [...text.matchAll(/^export interface (\w+)/gm)].map(([, name]) => name)
    expect(names).toEqual([
      'Revision',
      'RevisionList',
      'User',
      'CommonParameters',
      'RevisionsListParameters',
      'ClientOptions',
      'CallOptions',
      'UploadOptions',
    ])
    expect(text).not.toContain('drive/v2/files/trash')
  })
})

describe('drv api types', () => {
  test('writes the module', async () => {
    const {stdout, stderr, error} = await outcomeOf('api types', ['--built-in'])
    expect({error, stderr}).toEqual({error: undefined, stderr: ''})
    expect(stdout).toBe(typesModule(builtIn))
  })

  test('omits the URL of the local service, which is temporary', async () => {
    const {stdout, stderr} = await outcomeOf('api types', [])
    expect(stdout).toBe(typesModule(builtIn))
    expect(stderr).toRead()
  })

  test.each([
    ['files.generateIds'],
    ['files.generate-ids'],
    ['drive.files.generateIds'],
    ['FILES.GENERATEIDS'],
  ])('accepts a method as %s', async name => {
    const {stdout} = await outcomeOf('api types', ['about.get', name, '--built-in'])
    expect(stdout).toBe(typesModule(builtIn, chosen('about.get', 'files.generateIds')))
  })

  test('suggests the nearest method for an unknown one', async () => {
    const outcome = await outcomeOf('api types', ['files.lst', '--built-in'])
    expect(outcome).toMatchObject({
      error: 'drive:v2 has no method "files.lst".',
      hint: 'Did you mean "files.list"?',
      exit: 2,
      stdout: '',
    })
  })

  test('reads any description from standard input', async () => {
    const {stdout} = await outcomeOf('api types', ['--description', '-', '--json'], {
      stdin: JSON.stringify(nested),
    })
    expect(JSON.parse(stdout)).toEqual({text: typesModule(nested)})
  })
})

/** A document with these paths. */
const withPaths = (paths: readonly string[], more: object = {}) => {
  const methods = paths.map((path, index) => [`m${index}`, {path, httpMethod: 'GET'}] as const)
  const head = {kind: 'discovery#restDescription', name: 'x', version: 'v1', servicePath: ''}
  const rootUrl = 'https://x.example.com/'
  return readDocument({...head, rootUrl, methods: Object.fromEntries(methods), ...more})
}
const numbers = (count: number) => Array.from({length: count}, (_, index) => index)

/** CPU time in seconds. */
function seconds(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  return process.cpuUsage(before).user / 1e6
}

test('twice as many methods take twice as long', () => {
  const paths = (count: number) =>
    numbers(count).map(at => (at % 2 ? `things/{a}/sub${at}/{b}/x` : `things${at}/{a}`))
  const documents = [1500, 6000].map(count => withPaths(paths(count)))
  const [few = 0, many = 0] = documents.map(document => seconds(() => typesModule(document)))
  // Four times as many paths would take sixteen times as long if each were compared with all others.
  expect(many).toBeLessThan(few * 8 + 0.5)
})

test('values that lead to other methods are listed in the order of the document', () => {
  const document = withPaths([
    'f/{a}',
    'f/one',
    'g/one',
    'f/{b}/x',
    'f/two/{c}',
    'f/three/{c}',
    '{d}/y/z',
    'f/{e}.pdf',
    'f/one',
    'q/two/x',
  ])
  const lists = [...typesModule(document).matchAll(/not: \{(.*?)\}/g)].map(([, list]) => list)
  expect(lists).toEqual(["a: ['one']", "b: ['two', 'three']", ...["c: ['x']", "c: ['x']"]])
})

test.each([
  ['each to half of the others', numbers(2400).map(at => (at % 2 ? `{a}/s${at}` : `k${at}/{b}`))],
  ['the same ones to all others', numbers(2400).map(at => (at % 2 ? 'x/{a}' : `x/k${at}`))],
])('paths that lead %s are rejected, and do not fill the memory', (_, paths) => {
  const document = withPaths(paths)
  expect(() => typesModule(document)).toRead()
})

test('long chains of references and very similar names take no longer than others', () => {
  const row = numbers(20_000).map(at => [`s${at}`, {$ref: `s${at + 1}`}] as const)
  const alike = numbers(2000).map(at => [`a${'-'.repeat(at + 1)}`, {type: 'string'}] as const)
  const schemas = Object.fromEntries([...row, ...alike])
  expect(seconds(() => typesModule(withPaths([], {schemas})))).toBeLessThan(3)
})

test.each([90, 110])('a field with a name of %i letters has its type', async length => {
  const name = 'n'.repeat(length)
  const types = ['string', 'integer', 'boolean', 'object', 'array', 'any'].map(type => [
    `${type}${name}`,
    {type},
  ])
  const properties = {
    ...Object.fromEntries(types),
    [`list${name}`]: {type: 'array', items: {type: 'string'}},
    [`map${name}`]: {type: 'object', additionalProperties: {type: 'string'}},
    [`enum${name}`]: {type: 'string', enum: ['A']},
  }
  const schemas = {Long: {type: 'object', properties}, [`T${name}`]: {type: 'string'}}
  const parameters = {[name]: {type: 'string', location: 'query', repeated: true}}
  const text = typesModule(withPaths(['a'], {schemas, parameters}))
  expect(text).toContain(`string${name}?: string\n`)
  expect(complaintsOf({'long.ts': text}, surroundings.node)).toEqual([])
})
