import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {propertiesHandlers as handlers} from '#lib/service/handlers/properties.js'
import {type Bench, type CallOptions, grant, openBench} from './calls.js'

let bench: Bench
let fileId: string
beforeEach(() => {
  bench = openBench()
  fileId = bench.file()
})
afterEach(() => bench.close())

const insert = (body: Record<string, unknown>, options: CallOptions = {}) =>
  bench.call(handlers['properties.insert'], 'properties.insert', {fileId}, {...options, body})
const get = (propertyKey: string, visibility?: string, options?: CallOptions) =>
  bench.call(
    handlers['properties.get'],
    'properties.get',
    {fileId, propertyKey, ...(visibility !== undefined && {visibility})},
    options,
  )
const patch = (propertyKey: string, body: Record<string, unknown>, visibility = 'private') =>
  bench.call(
    handlers['properties.patch'],
    'properties.patch',
    {fileId, propertyKey, visibility},
    {body},
  )
const list = (options?: CallOptions) =>
  bench.call(handlers['properties.list'], 'properties.list', {fileId}, options)
const remove = (propertyKey: string, visibility = 'private', options?: CallOptions) =>
  bench.call(
    handlers['properties.delete'],
    'properties.delete',
    {fileId, propertyKey, visibility},
    options,
  )
const values = (answer: {items: {key: string; visibility: string; value: string}[]}) =>
  answer.items.map(({key, visibility, value}) => `${key} ${visibility} ${value}`)

test('a key exists once publicly and once per app', () => {
  insert({key: 'k', value: 'mine'})
  insert({key: 'k', value: 'open', visibility: 'public'})
  insert({key: 'k', value: 'theirs'}, {clientId: 'app'})
  expect(values(list())).toEqual(['k PRIVATE mine', 'k PUBLIC open'])
  expect(values(list({clientId: 'app'}))).toEqual(['k PRIVATE theirs', 'k PUBLIC open'])
  expect(values(list({clientId: 'new'}))).toEqual(['k PUBLIC open'])
  expect(get('k').value).toBe('mine')
  expect(get('k', 'PRIVATE', {clientId: 'app'}).value).toBe('theirs')
  expect(get('k', 'Public').value).toBe('open')
})

test('the record', () => {
  expect(insert({key: 'a b/c', value: 'ü', visibility: 'PUBLIC'})).toEqual({
    kind: 'drive#property',
    etag: expect.stringMatching(/^"[\w-]{27}"$/),
    selfLink: `http://127.0.0.1:8080/drive/v2/files/${fileId}/properties/a%20b%2Fc?visibility=PUBLIC`,
    key: 'a b/c',
    visibility: 'PUBLIC',
    value: 'ü',
  })
})

test('insert replaces, and every state has its own ETag', () => {
  const tags = [
    insert({key: 'k', value: '1'}),
    insert({key: 'k', value: '2'}),
    patch('k', {value: '1'}),
  ]
  remove('k')
  tags.push(insert({key: 'k', value: '2'}))
  expect(new Set(tags.map(({etag}) => etag)).size).toBe(4)
  expect(values(list())).toEqual(['k PRIVATE 2'])
})

test.each(['properties.patch', 'properties.update'] as const)('%s changes the sent fields', id => {
  insert({key: 'k', value: 'v'})
  const change = (body: Record<string, unknown>, visibility = 'private') =>
    bench.call(handlers[id], id, {fileId, propertyKey: 'k', visibility}, {body})
  expect(change({})).toMatchObject({key: 'k', value: 'v', visibility: 'PRIVATE'})
  expect(change({value: 'w', key: 'k'})).toMatchObject({value: 'w'})
  expect(change({value: null})).toMatchObject({value: ''})
  expect(change({visibility: 'PUBLIC'})).toMatchObject({value: '', visibility: 'PUBLIC'})
  expect(values(list())).toEqual(['k PUBLIC '])
  expect(() => change({key: 'other'}, 'public')).toThrow(expect.objectContaining({status: 400}))
})

test('a property is found only with its visibility', () => {
  insert({key: 'k', value: 'v', visibility: 'PUBLIC'})
  const missing = {
    status: 404,
    detail: {
      domain: 'global',
      reason: 'notFound',
      message: 'Property not found: key = k and visibility = PRIVATE',
      locationType: 'parameter',
      location: 'propertyKey',
    },
  }
  for (const ask of [() => get('k'), () => patch('k', {value: 'w'}), () => remove('k')]) {
    expect(ask).toThrow(expect.objectContaining(missing))
  }
  expect(() => get('k', 'secret')).toThrow(expect.objectContaining({status: 400}))
  expect(remove('k', 'PUBLIC')).toBeUndefined()
  expect(list().items).toEqual([])
})

test('each change creates a new version of the file and appears in its changes', () => {
  const version = () =>
    bench.store.get<{version: number}>('SELECT version FROM files WHERE id = :fileId', {fileId})!
      .version
  const before = version()
  insert({key: 'k', value: 'v'})
  patch('k', {value: 'w'})
  remove('k')
  expect(version()).toBe(before + 3)
  expect(bench.store.all('SELECT 1 FROM changes WHERE item_id = :fileId', {fileId})).toHaveLength(1)
})

test('readers can read and writers can write', () => {
  grant(bench, fileId, {login: 'ann'})
  grant(bench, fileId, {login: 'bob'}, 'writer')
  insert({key: 'k', value: 'v', visibility: 'PUBLIC'}, {login: 'bob'})
  expect(get('k', 'public', {login: 'ann'}).value).toBe('v')
  expect(() => insert({key: 'k', value: 'w'}, {login: 'ann'})).toThrow(
    expect.objectContaining({status: 403}),
  )
  expect(() => remove('k', 'public', {login: 'ann'})).toThrow(
    expect.objectContaining({status: 403}),
  )
  expect(() => list({login: 'eve'})).toThrow(expect.objectContaining({status: 404}))
})

describe('limits', () => {
  const fill = (count: number, body: Record<string, unknown> = {}, options?: CallOptions) => {
    for (let index = 0; index < count; index++)
      insert({key: `k${index}`, value: '', ...body}, options)
  }
  const tooMany = expect.objectContaining({status: 400})

  test('124 bytes for key and value', () => {
    const key = 'ü'.repeat(10)
    expect(insert({key, value: 'x'.repeat(104)}).value).toHaveLength(104)
    expect(() => insert({key, value: 'x'.repeat(105)})).toThrow(tooMany)
    expect(() => patch(key, {value: 'x'.repeat(105)})).toThrow(tooMany)
    expect(() => insert({value: 'no key'})).toThrow(
      expect.objectContaining({detail: expect.objectContaining({reason: 'required'})}),
    )
  })

  test('30 public ones', () => {
    fill(30, {visibility: 'PUBLIC'})
    expect(() => insert({key: 'more', visibility: 'PUBLIC'})).toThrow(tooMany)
    expect(insert({key: 'k0', value: 'again', visibility: 'PUBLIC'}).value).toBe('again')
    expect(insert({key: 'more'}).visibility).toBe('PRIVATE')
    expect(() => patch('more', {visibility: 'PUBLIC'})).toThrow(tooMany)
    expect(get('more').visibility).toBe('PRIVATE')
  })

  test('30 private ones of an app, 100 in all', () => {
    for (const clientId of ['a', 'b', 'c']) fill(30, {}, {clientId})
    expect(() => insert({key: 'more'}, {clientId: 'a'})).toThrow(tooMany)
    fill(10, {}, {clientId: 'd'})
    expect(() => insert({key: 'more'}, {clientId: 'd'})).toThrow(tooMany)
    remove('k0', 'private', {clientId: 'a'})
    expect(insert({key: 'more'}, {clientId: 'd'}).key).toBe('more')
  })
})
