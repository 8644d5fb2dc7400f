import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {startTestService, type TestService} from './harness.js'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

describe('smoke', () => {
  test('insert, get, list', async () => {
    const made = await service.json('POST', 'files', {body: {title: 'a.txt'}})
    expect(made.body).toMatchObject({title: 'a.txt'})
    const got = await service.json('GET', `files/${made.body.id}`)
    expect(got.status).toBe(200)
    const list = await service.json('GET', 'files', {query: {fields: 'items(id,title)'}})
    expect(list.body).toEqual({items: [{id: made.body.id, title: 'a.txt'}]})
  })
})
