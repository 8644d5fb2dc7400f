import {describe, expect, test} from 'vitest'
import {NetworkError, ProtocolError, ProxyError, ServiceError} from '#lib/client/errors.js'
import {type Retrying, withRetries} from '#lib/client/retry/attempts.js'
import {classifyFailure, type FailureClass, nextDelay, repeatOf} from '#lib/client/retry/policy.js'

const refusal = (status: number, reason = '', retryAfter?: number) =>
  new ServiceError(status, reason, 'No', {retryAfter})
const network = (code?: string) =>
  new NetworkError('No', 'http://x/', {cause: code && Object.assign(new Error(), {code})})

describe('faultOf', () => {
  test.each<[unknown, FailureClass['kind']]>([
    [refusal(429), 'rate'],
    [refusal(429, 'rateLimitExceeded'), 'rate'],
    [refusal(403, 'rateLimitExceeded'), 'rate'],
    [refusal(403, 'userRateLimitExceeded'), 'rate'],
    [refusal(403, 'sharingRateLimitExceeded'), 'rate'],
    [refusal(403), 'final'],
    [refusal(403, 'forbidden'), 'final'],
    [refusal(403, 'insufficientPermissions'), 'final'],
    [refusal(403, 'dailyLimitExceeded'), 'final'],
    [refusal(403, 'storageQuotaExceeded'), 'final'],
    [refusal(429, 'dailyLimitExceeded'), 'final'],
    [refusal(429, 'quotaExceeded'), 'final'],
    [refusal(400), 'final'],
    [refusal(401), 'final'],
    [refusal(404), 'final'],
    [refusal(409), 'final'],
    [refusal(412), 'final'],
    [refusal(408), 'service'],
    [refusal(500), 'service'],
    [refusal(500, 'contentDamaged'), 'final'],
    [refusal(502), 'service'],
    [refusal(503, 'backendError'), 'service'],
    [refusal(504), 'service'],
    [refusal(501), 'final'],
    [refusal(507), 'final'],
    [refusal(507, 'storageQuotaExceeded'), 'final'],
    [refusal(500, 'databaseDamaged'), 'final'],
    [network('ECONNRESET'), 'broken'],
    [network('EPIPE'), 'broken'],
    [network('ETIMEDOUT'), 'broken'],
    [network('EAI_AGAIN'), 'broken'],
    [network(), 'broken'],
    [network('ECONNREFUSED'), 'unreachable'],
    [network('ENOTFOUND'), 'unreachable'],
    [network('CERT_HAS_EXPIRED'), 'final'],
    [network('HPE_INVALID_CONSTANT'), 'final'],
    [network('ERR_TOO_SLOW'), 'final'],
    [new ProxyError('407', '', false), 'final'],
    [new ProxyError('502', '', true), 'unreachable'],
    [new ProtocolError('cut', true), 'broken'],
    [new ProtocolError('HTML'), 'final'],
    [new Error('anything'), 'final'],
  ])('%s is %s', (error, kind) => {
    expect(classifyFailure(error).kind).toBe(kind)
  })

  test('keeps the delay that the service requested', () => {
    expect(classifyFailure(refusal(429, '', 7))).toEqual({kind: 'rate', slow: false, retryAfter: 7})
    expect(classifyFailure(refusal(503, '', 7))).toEqual({kind: 'service', retryAfter: 7})
  })
})

test.each([
  ['files.get', 'GET', {}, 'safe'],
  ['files.generateIds', 'GET', {}, 'safe'],
  ['files.delete', 'DELETE', {}, 'safe'],
  ['files.update', 'PUT', {}, 'safe'],
  ['files.update', 'PUT', {hasContent: true}, 'unsafe'],
  ['files.patch', 'PATCH', {}, 'safe'],
  ['files.insert', 'POST', {}, 'unsafe'],
  ['files.insert', 'POST', {hasContent: true}, 'unsafe'],
  ['files.insert', 'POST', {hasId: true, hasContent: true}, 'safe'],
  ['files.copy', 'POST', {}, 'unsafe'],
  ['files.copy', 'POST', {hasId: true}, 'safe'],
  ['files.trash', 'POST', {}, 'safe'],
  ['permissions.insert', 'POST', {}, 'unsafe'],
  ['permissions.insert', 'POST', {hasId: true}, 'unsafe'],
  ['drives.insert', 'POST', {}, 'safe'],
  ['files.watch', 'POST', {hasId: true}, 'unsafe'],
] as const)('%s (%s, %j) is %s to repeat', (id, method, has, repeat) => {
  expect(repeatOf(id, method, {hasId: false, hasContent: false, ...has})).toBe(repeat)
})

describe('nextDelay', () => {
  test('a temporary fault is retried, even if nothing received the request', () => {
    const fault = classifyFailure(new ProxyError('502', '', true))
    const state = {repeat: 'unsafe', persistent: false, attempt: 1, elapsed: 0, random: 1} as const
    expect(nextDelay(fault, state, {attempts: 2, total: 60_000})).toBe(500)
    const {passing: _, ...lasting} = fault as Extract<FailureClass, {kind: 'unreachable'}>
    expect(nextDelay(lasting, state, {attempts: 2, total: 60_000})).toBeUndefined()
  })

  const limits = {attempts: 4, total: 60_000}
  const state = {repeat: 'safe', persistent: false, attempt: 1, elapsed: 0, random: 1} as const
  const rate = {kind: 'rate', slow: false} as const
  const service = {kind: 'service'} as const
  const broken = {kind: 'broken'} as const
  const unreachable = {kind: 'unreachable'} as const

  test.each<[string, FailureClass, object, number | undefined]>([
    ['the first limit', broken, {}, 500],
    ['doubles', broken, {attempt: 3}, 2000],
    ['has full jitter', broken, {attempt: 3, random: 0}, 0],
    ['jitter in between', broken, {attempt: 2, random: 0.5}, 500],
    ['the last attempt', broken, {attempt: 4}, undefined],
    ['nothing final', {kind: 'final'}, {}, undefined],
    ['no doubt about what is unsafe', broken, {repeat: 'unsafe'}, undefined],
    ['nor after a failure inside', service, {repeat: 'unsafe'}, undefined],
    ['a refusal did nothing', rate, {repeat: 'unsafe'}, 500],
    ['a refusal without its reason did nothing', {kind: 'unexplained'}, {repeat: 'unsafe'}, 500],
    ['nobody there', unreachable, {}, undefined],
    ['nobody there any more', unreachable, {persistent: true}, 500],
    ['Retry-After', {...rate, retryAfter: 7}, {random: 0}, 7000],
    ['Retry-After, spread', {...rate, retryAfter: 10}, {}, 11_000],
    ['Retry-After of a 503', {...service, retryAfter: 7}, {random: 0}, 7000],
    ['Retry-After shorter than the backoff', {...rate, retryAfter: 1}, {attempt: 3}, 2000],
    ['more than there is time for', {...rate, retryAfter: 61}, {random: 0}, undefined],
    ['the end of the time', broken, {elapsed: 59_900}, undefined],
    ['a slow limit is never hurried', {kind: 'rate', slow: true}, {random: 0}, 7500],
  ])('%s', (_, fault, change, delay) => {
    expect(nextDelay(fault, {...state, ...change}, limits)).toBe(delay)
  })

  test('never exceeds its maximum', () => {
    const many = {attempts: 99, total: Infinity}
    expect(nextDelay(broken, {...state, attempt: 50}, many)).toBe(32_000)
  })
})

describe('withRetries', () => {
  function world(): Retrying & {slept: number[]; paused: number[]} {
    let time = 0
    const slept: number[] = []
    const paused: number[] = []
    return {
      slept,
      paused,
      now: () => time,
      sleep: async milliseconds => {
        slept.push(milliseconds)
        time += milliseconds
      },
      random: () => 1,
      limiter: {ready: async () => undefined, pause: async ms => void paused.push(ms)},
    }
  }
  const failing = (errors: unknown[]) => async () => {
    if (errors.length > 0) throw errors.shift()
    return 'done'
  }

  test('retries until it succeeds, and reports attempts that may have succeeded', async () => {
    const retrying = world()
    const seen: boolean[] = []
    const errors = [refusal(429), network('ECONNRESET'), refusal(500)]
    const result = await withRetries(retrying, {repeat: 'safe'}, async ({isDoubtful}) => {
      seen.push(isDoubtful)
      if (errors.length > 0) throw errors.shift()
      return 'done'
    })
    expect(result).toBe('done')
    expect(seen).toEqual([false, false, true, true])
    expect(retrying.slept).toEqual([500, 1000, 2000])
  })

  test('informs all processes of a rate limit, and of nothing else', async () => {
    const retrying = world()
    const errors = [refusal(500), refusal(429, '', 3), refusal(503, '', 5)]
    await withRetries(retrying, {repeat: 'safe'}, failing(errors))
    expect(retrying.paused).toEqual([3300, 5500])
  })

  test('fails with the last error', async () => {
    const errors = Array.from({length: 20}, (_, index) => refusal(500, `try ${index + 1}`))
    const work = withRetries(world(), {repeat: 'safe'}, failing(errors))
    await expect(work).rejects.toMatchObject({reason: 'try 6'})
  })

  test('progress resets the attempts', async () => {
    const retrying = world()
    let calls = 0
    await withRetries(retrying, {repeat: 'safe'}, async (_, progressed) => {
      calls += 1
      if (calls > 30) return
      progressed()
      throw network('ECONNRESET')
    })
    expect(calls).toBe(31)
    expect(new Set(retrying.slept)).toEqual(new Set([500]))
  })

  test('without a policy there is one attempt', async () => {
    const work = withRetries(undefined, {repeat: 'safe'}, failing([refusal(500)]))
    await expect(work).rejects.toThrow(ServiceError)
  })
})
