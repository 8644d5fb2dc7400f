import type {ServerResponse} from 'node:http'
import {expect, test} from 'vitest'
import {createClient} from '#lib/client/index.js'
import {serve} from '../../support/serve.js'

/** Refusals whose body breaks off: their reason decides what a client does, so it is requested again. */

const retrying = {now: () => 0, sleep: async () => undefined, random: () => 0.5}
const MOVED = {error: {errors: [{reason: 'invalid', location: 'removeParents'}]}}
const LIMIT = {error: {errors: [{reason: 'userRateLimitExceeded'}]}}

type Answer = (response: ServerResponse) => void

const whole =
  (status: number, body: object): Answer =>
  response =>
    response.writeHead(status, {'content-type': 'application/json'}).end(JSON.stringify(body))
const cut =
  (status: number, body: object): Answer =>
  response => {
    response.writeHead(status, {'content-length': '900'})
    response.write(JSON.stringify(body).slice(0, 20), () => response.destroy())
  }
const lost: Answer = response => response.destroy()

/** A client of a service that gives these answers, and the requests it received. */
async function clientOf(...answers: readonly Answer[]) {
  const requests: string[] = []
  const {url} = await serve(({method, url: path}, response) => {
    requests.push(`${method} ${path?.split('?')[0]}`)
    answers[requests.length - 1]!(response)
  })
  const client = createClient({baseUrl: url, token: async () => undefined, retrying})
  return {client, requests}
}

const move = {
  params: {fileId: 'a', fields: 'title', addParents: 'P2', removeParents: 'P1'},
  body: {title: 'x'},
}
const moved = {id: 'a', title: 'x', parents: [{id: 'P2'}]}

test('a change that an earlier attempt made is found, although its refusal was cut', async () => {
  const {client, requests} = await clientOf(
    ...[lost, cut(400, MOVED), whole(400, MOVED), whole(200, moved)],
  )
  expect(await client.call('files.patch', move)).toEqual({title: 'x'})
  expect(requests).toHaveLength(4)
})

test('a cut 403 may be a rate limit, also for a request that is unsafe to repeat', async () => {
  const {client} = await clientOf(cut(403, LIMIT), whole(200, {id: 'p', role: 'reader'}))
  const body = {role: 'reader', type: 'anyone'}
  const call = client.call('permissions.insert', {params: {fileId: 'a'}, body})
  expect(await call).toMatchObject({id: 'p'})
})

test('if the reason never arrives, the error has the status', async () => {
  const {client, requests} = await clientOf(...Array.from({length: 6}, () => cut(403, LIMIT)))
  const call = client.call('files.get', {params: {fileId: 'a'}})
  await expect(call).rejects.toMatchObject({status: 403})
  expect(requests).toHaveLength(6)
})
