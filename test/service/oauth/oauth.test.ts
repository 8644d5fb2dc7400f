import {XMLParser} from 'fast-xml-parser'
import {describe, expect, test} from 'vitest'
import {BUILTIN_CLIENT_ID, DEVICE_GRANT} from '#lib/api/wire.js'
import {acceptedFormat, encodeFields} from '#lib/service/oauth/endpoints/answer.js'
import {handleOauth} from '#lib/service/oauth/routes.js'
import {ORIGIN, startOauth} from './calls.js'

describe('the format of responses', () => {
  test.each([
    [undefined, 'form'],
    ['*/*', 'form'],
    ['text/html', 'form'],
    ['application/x-www-form-urlencoded', 'form'],
    ['application/json', 'json'],
    ['Application/JSON; charset=utf-8', 'json'],
    ['application/json, text/plain, */*', 'json'],
    ['application/vnd.service+json', 'json'],
    ['application/xml', 'xml'],
    ['application/json;q=0.5, application/xml', 'xml'],
    ['application/json;q=0', 'form'],
  ])('Accept: %s -> %s', (accept, format) => {
    expect(acceptedFormat(accept)).toBe(format)
  })

  test('has the same fields in each of the three', () => {
    const fields = {scope: 'a b&c<d>', interval: 10}
    expect(encodeFields(fields, 'form')).toBe('scope=a+b%26c%3Cd%3E&interval=10')
    expect(JSON.parse(encodeFields(fields, 'json'))).toEqual(fields)
    expect(new XMLParser().parse(encodeFields(fields, 'xml'))).toMatchObject({OAuth: fields})
    expect(encodeFields({scope: ''}, 'form')).toBe('scope=')
  })

  test('is form-encoded by default, for errors too', async () => {
    const {send} = startOauth()
    const form = {client_id: BUILTIN_CLIENT_ID}
    const good = await send('POST', '/login/device/code', {form})
    expect(good.headers['content-type']).toBe('application/x-www-form-urlencoded; charset=utf-8')
    expect(new URLSearchParams(good.text).get('expires_in')).toBe('900')
    const bad = await send('POST', '/login/oauth/access_token', {form})
    expect(bad.status).toBe(200)
    expect(new URLSearchParams(bad.text).get('error')).toBe('unsupported_grant_type')
    const xml = await send('POST', '/login/oauth/access_token', {
      form,
      headers: {accept: 'application/xml'},
    })
    expect(xml.headers['content-type']).toBe('application/xml; charset=utf-8')
    expect(new XMLParser().parse(xml.text)).toMatchObject({
      OAuth: {
        error: 'unsupported_grant_type',
        error_uri: `${ORIGIN}/docs/oauth-errors#unsupported_grant_type`,
      },
    })
  })
})

describe('parameters', () => {
  const accept = 'application/json'
  const json = 'application/json'

  test('may be sent in a form, in JSON, in the query or by Basic authentication', async () => {
    const {send} = startOauth()
    const basic = `Basic ${Buffer.from(`${BUILTIN_CLIENT_ID}:`).toString('base64')}`
    const ways: [string, Parameters<typeof send>[2]][] = [
      ['', {form: {client_id: BUILTIN_CLIENT_ID}, headers: {accept}}],
      ['', {json: {client_id: BUILTIN_CLIENT_ID, scope: null}, headers: {accept}}],
      [`?client_id=${BUILTIN_CLIENT_ID}`, {headers: {accept}}],
      ['', {headers: {accept, authorization: basic}}],
      ['?client_id=nobody', {form: {client_id: BUILTIN_CLIENT_ID}, headers: {accept}}],
    ]
    for (const [query, request] of ways) {
      const {status, text} = await send('POST', `/login/device/code${query}`, request)
      expect(status, `${query} ${text}`).toBe(200)
    }
  })

  test.each([
    [400, {body: '{', headers: {accept, 'content-type': json}}, 'not valid JSON'],
    [400, {json: [], headers: {accept}}, 'JSON object'],
    [400, {json: {client_id: 5}, headers: {accept}}, '"client_id"'],
    [415, {body: 'x', headers: {accept, 'content-type': 'text/plain'}}, 'text/plain'],
    [413, {body: 'x'.repeat(65_537), headers: {accept}}, 'longer than 65536'],
  ])('that are malformed: %i', async (status, request, words) => {
    const {send} = startOauth()
    const answer = await send('POST', '/login/oauth/access_token', request)
    expect(answer.status).toBe(status)
    expect(answer.data.error).toBe('invalid_request')
    expect(answer.data.error_description).toContain(words)
  })
})

describe('paths', () => {
  test.each([
    ['GET', '/login/device/code'],
    ['GET', '/login/oauth/access_token'],
    ['OPTIONS', '/login/oauth/access_token'],
    ['DELETE', '/login/device'],
    ['POST', '/user'],
    ['GET', '/applications/x/token'],
  ])('%s %s is not found', async (method, path) => {
    const {status, data} = await startOauth().send(method, path)
    expect(status).toBe(404)
    expect(data).toMatchObject({message: 'Not Found', status: '404'})
  })

  test('of other rooms are passed on', async () => {
    const oauth = startOauth()
    for (const path of ['/drive/v2/about', '/logins', '/constructor', '/user/x']) {
      const url = new URL(path, ORIGIN)
      const body = (await import('node:stream')).Readable.from([])
      const request = {method: 'GET', url, headers: {}, remoteAddress: '::1', body}
      expect(await handleOauth({request, store: oauth.store, now: 0})).toBeUndefined()
    }
  })

  test('of errors lead to their description', async () => {
    const oauth = startOauth()
    const {data} = await oauth.post('/login/oauth/access_token', {
      client_id: BUILTIN_CLIENT_ID,
      grant_type: DEVICE_GRANT,
    })
    const uri = new URL(String(data.error_uri))
    const {status, text} = await oauth.send('GET', uri.pathname)
    expect(status).toBe(200)
    expect(text).toContain(`id="${uri.hash.slice(1)}"`)
  })
})
