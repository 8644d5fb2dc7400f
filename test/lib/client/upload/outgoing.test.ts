import {describe, expect, test} from 'vitest'
import {createClient} from '#lib/client/index.js'
import {needsSession, SESSION_THRESHOLD} from '#lib/client/upload/outgoing.js'

describe('content goes up in a session', () => {
  test.each([
    ['of nothing', 0, false],
    ['one byte below the threshold', SESSION_THRESHOLD - 1, false],
    ['exactly at the threshold', SESSION_THRESHOLD, false],
    ['one byte above the threshold', SESSION_THRESHOLD + 1, true],
    ['of a size that nobody knows', undefined, true],
  ])('%s', (_, size, expected) => {
    expect(needsSession(size)).toBe(expected)
  })

  test('from eight mebibytes on', () => {
    expect(SESSION_THRESHOLD).toBe(8_388_608)
  })
})

test.each([
  [SESSION_THRESHOLD, undefined, 'media'],
  [SESSION_THRESHOLD, {}, 'media'],
  [SESSION_THRESHOLD, {title: 'it'}, 'multipart'],
  [SESSION_THRESHOLD + 1, undefined, 'resumable'],
  [SESSION_THRESHOLD + 1, {title: 'it'}, 'resumable'],
])('a request for %i bytes with the metadata %j is shown as %s', (size, body, type) => {
  const client = createClient({baseUrl: 'https://files.example.com', token: async () => 'token'})
  const {url} = client.prepare('files.insert', {params: {}, body, upload: {size}})
  expect(new URL(url).searchParams.get('uploadType')).toBe(type)
})
