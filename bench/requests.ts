import {Agent, request} from 'node:http'
import type {Bench} from './service.js'
import {row} from './table.js'

const REQUESTS = 2_000

/** Measures how many requests per second the local service handles. */
export async function requests({url, token, call}: Bench): Promise<void> {
  const {id} = await call('POST', 'files', {title: 'bench'})
  row('local service, requests a second', '1 connection', '16 connections')
  const cases = [
    ['files.get', sender('GET', `${url}/drive/v2/files/${id}`, token)],
    ['files.list (up to 100 files)', sender('GET', `${url}/drive/v2/files`, token)],
    ['files.insert (metadata)', sender('POST', `${url}/drive/v2/files`, token, '{"title":"x"}')],
  ] as const
  for (const [name, send] of cases) {
    row(name, (await rate(1, send)).toFixed(0), (await rate(16, send)).toFixed(0))
  }
}

/** Requests per second over `width` open connections. */
async function rate(width: number, send: (agent: Agent) => Promise<void>) {
  const agent = new Agent({keepAlive: true, maxSockets: width})
  const start = performance.now()
  let next = 0
  const worker = async () => {
    while (next++ < REQUESTS) await send(agent)
  }
  await Promise.all(Array.from({length: width}, worker))
  agent.destroy()
  return (REQUESTS / (performance.now() - start)) * 1000
}

function sender(method: string, url: string, token: string, body?: string) {
  return (agent: Agent) =>
    new Promise<void>((settle, fail) => {
      const headers = {
        authorization: `Bearer ${token}`,
        ...(body && {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        }),
      }
      const call = request(url, {method, agent, headers}, response => {
        if (response.statusCode !== 200) fail(new Error(`${url} answered ${response.statusCode}`))
        response.resume().on('end', settle)
      })
      call.on('error', fail).end(body)
    })
}
