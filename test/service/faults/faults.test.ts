import {once} from 'node:events'
import {request} from 'node:http'
import {connect} from 'node:net'
import {text} from 'node:stream/consumers'
import {afterEach, describe, expect, onTestFinished, test} from 'vitest'
import {decideAll, type FaultCall, type FaultPlan, firstStates} from '#lib/service/faults/plan.js'
import {readFaultPlan} from '#lib/service/faults/read.js'
import {appById, createApp} from '#lib/service/oauth/store/apps.js'
import {issueToken} from '#lib/service/oauth/tokens/mint-token.js'
import {ensureUser} from '#lib/service/store/users.js'
import {startTestService, type TestService} from '../harness.js'

const plan = (rules: unknown, seed?: number) => readFaultPlan(JSON.stringify({rules, seed}))

describe('the document', () => {
  test('is read with its defaults', () => {
    const document = {
      rules: [
        {operations: '*', fault: 'status', status: 503, probability: 0.5},
        {operations: 'files.get', via: 'download', fault: 'reset', calls: [1, 2]},
        {operations: ['batch'], fault: 'rateLimit', perSecond: 0.5},
      ],
    }
    expect(readFaultPlan(JSON.stringify(document))).toEqual({
      seed: 1,
      rules: [
        {
          operations: '*',
          when: {kind: 'probability', probability: 0.5},
          fault: {kind: 'status', status: 503, body: 'json'},
        },
        {
          operations: ['files.get'],
          via: 'download',
          when: {kind: 'calls', calls: [1, 2]},
          fault: {kind: 'reset', at: 'request', after: 0},
        },
        {
          operations: ['batch'],
          when: {kind: 'always'},
          fault: {kind: 'rateLimit', perSecond: 0.5, status: 429, reason: 'rateLimitExceeded'},
        },
      ],
    })
  })

  const rule = {operations: '*', fault: 'lose'}
  test.each([
    ['{', 'fault rules'],
    ['[]', 'fault rules'],
    ['{}', 'rules'],
    [{rules: [], sede: 1}, 'sede'],
    [{rules: [], seed: -1}, 'seed'],
    [{rules: ['x']}, 'rules[0]'],
    [{rules: [rule, {...rule, fault: 'los'}]}, 'rules[1].fault'],
    [{rules: [{...rule, operations: 'files.gte'}]}, 'rules[0].operations'],
    [{rules: [{fault: 'lose'}]}, 'rules[0].operations'],
    [{rules: [{...rule, after: 1}]}, '"after"'],
    [{rules: [{...rule, via: 'upload_id'}]}, 'rules[0].via'],
    [{rules: [{...rule, probability: 10}]}, 'rules[0].probability'],
    [{rules: [{...rule, first: 1, every: 2}]}, 'rules[0]'],
    [{rules: [{...rule, calls: [0]}]}, 'rules[0].calls'],
    [{rules: [{operations: '*', fault: 'status'}]}, 'rules[0].status'],
    [{rules: [{operations: '*', fault: 'rateLimit', perSecond: 0}]}, 'rules[0].perSecond'],
  ])('%j is rejected in one sentence', (document, field) => {
    const words = typeof document === 'string' ? document : JSON.stringify(document)
    expect(() => readFaultPlan(words)).toThrow(field)
    // The reason in a JSON syntax error depends on the version of Node.
    if (document !== '{') expect(() => readFaultPlan(words)).toRead()
  })
})

describe('the decision', () => {
  const call: FaultCall = {target: 'files.get', via: 'plain', now: 0}

  /** The results of calls in order: the number of each failing call, and its fault. */
  function struck({rules, ...rest}: FaultPlan, calls: readonly FaultCall[]): number[] {
    let states = firstStates({rules, ...rest})
    return calls.flatMap((one, index) => {
      const decision = decideAll(rules, states, one)
      states = decision.states
      return decision.strike ? [index + 1] : []
    })
  }

  const ten = Array.from({length: 10}, () => call)
  test.each([
    [{}, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
    [{every: 3}, [3, 6, 9]],
    [{first: 2}, [1, 2]],
    [{calls: [4, 1]}, [1, 4]],
    [{probability: 0}, []],
    [{probability: 1}, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
    [{via: 'download'}, []],
    [{operations: ['files.list', 'files.get'], first: 1}, [1]],
    [{operations: 'files.list'}, []],
  ])('%j fails the calls %j', (fields, expected) => {
    const rules = plan([{operations: '*', fault: 'lose', ...fields}])
    expect(struck(rules, ten)).toEqual(expected)
  })

  test('a rule counts only its own calls', () => {
    const other: FaultCall = {...call, target: 'files.list'}
    const rules = plan([{operations: 'files.get', fault: 'lose', every: 2}])
    expect(struck(rules, [other, call, other, other, call, call])).toEqual([5])
  })

  test('probabilities are reproducible with the seed, and as frequent as specified', () => {
    const many = Array.from({length: 10_000}, () => call)
    const of = (seed: number) =>
      struck(plan([{operations: '*', fault: 'lose', probability: 0.1}], seed), many)
    expect(of(7)).toEqual(of(7))
    expect(of(7)).not.toEqual(of(8))
    expect(of(7).length).toBeGreaterThan(900)
    expect(of(7).length).toBeLessThan(1100)
  })

  test('the first matching rule applies', () => {
    const {rules, seed} = plan([
      {operations: '*', fault: 'lose', every: 2},
      {operations: '*', fault: 'truncate', every: 3},
      {operations: '*', fault: 'reset', every: 6},
    ])
    let states = firstStates({rules, seed})
    const kinds = ten.map(one => {
      const decision = decideAll(rules, states, one)
      states = decision.states
      return decision.strike?.kind ?? '-'
    })
    expect(kinds.slice(0, 6)).toEqual(['-', 'lose', 'truncate', 'lose', '-', 'lose'])
  })

  test('a rate limit allows this many a second, and returns the delay', () => {
    const at = (...times: number[]) => times.map(now => ({...call, now}))
    const two = plan([{operations: '*', fault: 'rateLimit', perSecond: 2}])
    expect(struck(two, at(0, 0, 0, 100, 600, 700, 5000, 5000, 5000))).toEqual([3, 4, 6, 9])
    const slow = plan([{operations: '*', fault: 'rateLimit', perSecond: 0.1}])
    const [first] = slow.rules
    const state = decideAll([first!], firstStates(slow), call).states
    expect(decideAll([first!], state, {...call, now: 4000}).strike).toMatchObject({wait: 6})
  })
})

describe('in the service', () => {
  let service: TestService
  afterEach(() => service.close())
  const faults: string[] = []
  const start = async (...rules: object[]) => {
    faults.length = 0
    service = await startTestService({
      faults: plan(rules),
      onFault: ({kind}, {target, via}) => faults.push(`${kind} ${target} ${via}`),
      log: error => faults.push(String(error)),
    })
  }
  const upload = (body: string) =>
    service.json('POST', '/upload/drive/v2/files', {headers: {'content-type': 'text/plain'}, body})
  const titles = async () =>
    (await service.json('GET', 'files')).body.items.map(({title}: {title: string}) => title)

  test('an error response has its reason, delay and format, and nothing is done', async () => {
    await start(
      {operations: 'files.insert', fault: 'status', status: 503, retryAfter: 7, calls: [1]},
      {operations: '*', fault: 'status', status: 403, reason: 'userRateLimitExceeded', calls: [2]},
      {operations: '*', fault: 'status', status: 502, body: 'html', calls: [3]},
      {operations: '*', fault: 'status', status: 500, body: 'none', calls: [4]},
    )
    const insert = () => service.send('POST', 'files', {body: {title: 'x'}})
    const [first, second, third, fourth] = [
      await insert(),
      await insert(),
      await insert(),
      await insert(),
    ]
    expect([first.status, first.headers.get('retry-after')]).toEqual([503, '7'])
    expect(await first.json()).toMatchObject({
      error: {code: 503, errors: [{domain: 'global', reason: 'backendError'}]},
    })
    expect([second.status, ((await second.json()) as any).error.errors[0].reason]).toEqual([
      403,
      'userRateLimitExceeded',
    ])
    expect([third.status, third.headers.get('content-type')]).toEqual([
      502,
      'text/html; charset=UTF-8',
    ])
    expect(await third.text()).toContain('<h1>502</h1>')
    expect([fourth.status, await fourth.text()]).toEqual([500, ''])
    expect(await titles()).toEqual([])
    expect(faults).toEqual(Array.from({length: 4}, () => 'status files.insert plain'))
  })

  test('a lost response does not undo the operation', async () => {
    await start({operations: 'files.insert', fault: 'lose', first: 1})
    await expect(service.send('POST', 'files', {body: {title: 'kept'}})).rejects.toThrow()
    expect(await titles()).toEqual(['kept'])
  })

  test('a held lost response ends with the caller', async () => {
    await start({operations: 'files.insert', fault: 'lose', hold: 3600})
    const {port, hostname} = new URL(service.url)
    const caller = connect(Number(port), hostname)
    caller.write(
      `POST /drive/v2/files HTTP/1.1\r\nHost: ${hostname}:${port}\r\n` +
        `Authorization: Bearer ${service.token()}\r\nContent-Length: 0\r\n\r\n`,
    )
    await expect.poll(titles).toHaveLength(1)
    caller.destroy()
    await once(caller, 'close')
  })

  test('a reset request is not executed, with and without a body', async () => {
    await start({operations: 'files.insert', fault: 'reset', at: 'request', after: 100})
    await expect(upload('x'.repeat(1000))).rejects.toThrow()
    await expect(upload('x')).rejects.toThrow()
    await expect(service.send('POST', 'files')).rejects.toThrow()
    expect(await titles()).toEqual([])
    expect(faults).toEqual([
      'reset files.insert upload',
      'reset files.insert upload',
      'reset files.insert plain',
    ])
  })

  test('a reset chunk keeps complete units, and the session continues', async () => {
    await start({
      operations: 'files.insert',
      via: 'chunk',
      fault: 'reset',
      after: 300_000,
      first: 1,
    })
    const content = 'x'.repeat(600_000)
    const begun = await service.send('POST', '/upload/drive/v2/files', {
      query: {uploadType: 'resumable'},
      headers: {'x-upload-content-length': String(content.length)},
    })
    const {pathname, search} = new URL(begun.headers.get('location')!)
    const session = pathname + search
    await expect(service.send('PUT', session, {body: content})).rejects.toThrow()
    const stored = async () => {
      const asked = await service.send('PUT', session, {
        headers: {'content-range': 'bytes */600000'},
      })
      return [asked.status, asked.headers.get('range')]
    }
    // The caller may see the reset before the bytes are on disk.
    await expect.poll(stored).toEqual([308, 'bytes=0-262143'])
    const {body} = await service.json('PUT', session, {
      headers: {'content-range': 'bytes 262144-599999/600000'},
      body: content.slice(262_144),
    })
    expect(body.fileSize).toBe('600000')
    expect(faults).toEqual(['reset files.insert chunk'])
  })

  test('a reset response breaks off within its body', async () => {
    await start({
      operations: 'files.get',
      via: 'download',
      fault: 'reset',
      at: 'response',
      after: 70_000,
    })
    const {body} = await upload('x'.repeat(500_000))
    const call = request(`${service.url}/drive/v2/files/${body.id}?alt=media`, {
      headers: {authorization: `Bearer ${service.token()}`},
    }).end()
    const [answer] = await once(call, 'response')
    let received = 0
    answer.on('data', (chunk: Buffer) => (received += chunk.length))
    const [error] = await once(answer, 'error')
    expect(error.code).toBe('ECONNRESET')
    expect(answer.headers['content-length']).toBe('500000')
    expect(received).toBeGreaterThan(0)
    expect(received).toBeLessThanOrEqual(70_000)
  })

  test('a short reset response is never complete', async () => {
    await start({operations: 'files.list', fault: 'reset', at: 'response', after: 1e9})
    await expect(titles()).rejects.toThrow()
  })

  test('a truncated response claims to be complete, and the connection continues', async () => {
    await start({operations: '*', via: 'download', fault: 'truncate', after: 5, first: 1})
    const {body} = await upload('0123456789')
    const get = async () => {
      const answer = await service.send('GET', `files/${body.id}`, {query: {alt: 'media'}})
      return [answer.status, answer.headers.get('content-length'), await answer.text()]
    }
    expect(await get()).toEqual([200, '5', '01234'])
    expect(await get()).toEqual([200, '10', '0123456789'])
  })

  describe('a batch, whose responses are created while they are read,', () => {
    const batch = () =>
      service.send('POST', '/batch', {
        headers: {'content-type': 'multipart/mixed; boundary=b'},
        body: ['a', 'b']
          .map(
            title =>
              '--b\r\nContent-Type: application/http\r\n\r\nPOST /drive/v2/files\r\n' +
              `Content-Type: application/json\r\n\r\n{"title": "${title}"}\r\n`,
          )
          .join('')
          .concat('--b--\r\n'),
      })

    test('is executed although its response is lost', async () => {
      await start({operations: 'batch', fault: 'lose'})
      await expect(batch()).rejects.toThrow()
      expect((await titles()).sort()).toEqual(['a', 'b'])
    })

    test.each([
      ['cut', {fault: 'truncate', after: 100}],
      ['reset', {fault: 'reset', at: 'response', after: 100}],
      ['reset at its end', {fault: 'reset', at: 'response', after: 1_000_000}],
    ])('is executed although its response is %s', async (_, fault) => {
      await start({operations: 'batch', ...fault})
      const answer = await batch()
        .then(response => response.text())
        .catch(() => 'broken')
      expect(answer.length).toBeLessThanOrEqual(100)
      expect((await titles()).sort()).toEqual(['a', 'b'])
    })

    test('may be slow', async () => {
      await start({operations: 'batch', fault: 'slow', bytesPerSecond: 1_000_000})
      expect(await (await batch()).text()).toMatch(/--batch_\w+--\r\n$/)
    })
  })

  test('slow bodies take time, in both directions', async () => {
    await start(
      {operations: 'files.insert', fault: 'slow', at: 'request', bytesPerSecond: 50_000},
      {operations: 'files.get', fault: 'slow', bytesPerSecond: 50_000},
    )
    const content = 'y'.repeat(10_000)
    const begin = performance.now()
    const {body} = await upload(content)
    const middle = performance.now()
    const got = await service.send('GET', `files/${body.id}`, {query: {alt: 'media'}})
    expect(await text(got.body!)).toBe(content)
    expect(middle - begin).toBeGreaterThan(190)
    expect(performance.now() - middle).toBeGreaterThan(190)
  })

  test('a rate limit uses the clock of the service', async () => {
    await start({operations: 'files.list', fault: 'rateLimit', perSecond: 2, status: 403})
    const list = async () => {
      const {status, headers} = await service.send('GET', 'files')
      return `${status} ${headers.get('retry-after') ?? ''}`.trim()
    }
    expect([await list(), await list(), await list()]).toEqual(['200', '200', '403 1'])
    service.clock.now += 1000
    expect(await list()).toBe('200')
  })

  test('rules apply to operations and batches only', async () => {
    await start({operations: '*', fault: 'status', status: 500})
    expect((await service.send('GET', '/discovery/v1/apis/drive/v2/rest')).status).toBe(200)
    expect((await service.send('GET', 'nothing')).status).toBe(404)
    expect((await service.send('POST', '/batch/drive/v2')).status).toBe(500)
    const overridden = await service.send('POST', 'files/x', {
      headers: {'x-http-method-override': 'patch'},
    })
    expect(overridden.status).toBe(500)
    expect((await service.send('GET', 'files/x/export', {query: {mimeType: 'a/b'}})).status).toBe(
      500,
    )
    expect(faults).toEqual([
      'status batch plain',
      'status files.patch plain',
      'status files.export download',
    ])
  })
})

describe('faults of tokens', () => {
  /** A service with an app whose tokens expire, and a sign-in. */
  async function signedIn(rules: unknown) {
    const service = await startTestService({faults: plan(rules)})
    onTestFinished(() => service.close())
    const {store, clock} = service
    const wish = {name: 'Sync', deviceFlow: true, tokenLifetime: 3_600_000}
    const {clientId} = createApp(store, wish, clock.now)
    const user = ensureUser(store, 'local', clock.now)
    const app = appById(store, clientId)!
    const granted = issueToken(store, {app, user, scopes: ['drive'], byDevice: true}, clock.now)
    const refresh = async (refreshToken?: string) => {
      const form = {client_id: clientId, grant_type: 'refresh_token'}
      const body = new URLSearchParams({...form, refresh_token: refreshToken ?? ''})
      const headers = {accept: 'application/json'}
      const url = `${service.url}/login/oauth/access_token`
      const response = await fetch(url, {method: 'POST', body, headers})
      return (await response.json()) as Record<string, string>
    }
    const about = async (token?: string) => (await service.send('GET', 'about', {token})).status
    return {granted, refresh, about}
  }

  test('token-expire expires the token of a call, and a refresh continues', async () => {
    const rule = {operations: 'about.get', fault: 'token-expire', calls: [2]}
    const {granted, refresh, about} = await signedIn([rule])
    expect(await about(granted.access_token)).toBe(200)
    expect(await about(granted.access_token)).toBe(401)
    expect(await about(granted.access_token)).toBe(401)
    const next = await refresh(granted.refresh_token)
    expect(await about(next.access_token)).toBe(200)
  })

  test('refresh-lost uses the refresh token, and does not respond', async () => {
    const {granted, refresh, about} = await signedIn([{fault: 'refresh-lost', first: 1}])
    await expect(refresh(granted.refresh_token)).rejects.toThrow('fetch failed')
    expect(await about(granted.access_token)).toBe(200)
    expect(await refresh(granted.refresh_token)).toMatchObject({error: 'bad_refresh_token'})
    expect(await about(granted.access_token)).toBe(401)
  })

  test('any other fault can apply to refreshes, which "*" does not include', async () => {
    const unavailable = {fault: 'status', status: 503}
    const {granted, refresh} = await signedIn([
      {...unavailable, operations: 'refresh', first: 1},
      {...unavailable, operations: '*'},
    ])
    expect(await refresh(granted.refresh_token)).toHaveProperty('error.code', 503)
    expect(await refresh(granted.refresh_token)).toHaveProperty('access_token')
  })

  test('refresh-lost must not have operations', () => {
    expect(() => plan([{operations: '*', fault: 'refresh-lost'}])).toRead()
  })
})
