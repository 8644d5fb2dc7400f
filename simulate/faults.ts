import type {Kill} from './world.js'

/** Seconds for which a connection stays silent. */
export const SILENCE = 75

/** Failures of the service in a world. */
export function faultPlan(random: () => number): object {
  const rate = random() * 0.08
  const rules = [
    {operations: '*', fault: 'status', status: 503, probability: rate},
    {operations: '*', fault: 'status', status: 502, body: 'html', probability: rate / 3},
    {operations: '*', fault: 'reset', at: 'request', after: 1000, probability: rate / 2},
    {operations: '*', fault: 'reset', at: 'response', after: 200, probability: rate / 2},
    {operations: '*', fault: 'lose', probability: rate},
    {operations: '*', via: 'download', fault: 'truncate', after: 2000, probability: rate},
    {operations: '*', fault: 'lose', hold: 1, probability: rate / 4},
    {operations: '*', via: 'download', fault: 'slow', bytesPerSecond: 20_000, probability: rate},
    {operations: '*', fault: 'status', status: 429, retryAfter: 1, probability: rate / 4},
    {operations: ['changes.list'], fault: 'status', status: 410, probability: rate},
    // After each start of the service. A second loss in a row would end the sign-in.
    {fault: 'refresh-lost', first: 1},
    {operations: '*', fault: 'rateLimit', perSecond: 8 + random() * 40},
    // Longer than drv waits for a response, so not often.
    ...(random() < 0.3
      ? [{operations: '*', fault: 'lose', hold: SILENCE, calls: [50 + Math.floor(random() * 300)]}]
      : []),
  ]
  return {seed: Math.floor(random() * 2 ** 31), rules}
}

/** The signal that a command gets, if any, and when. */
export function chooseKill(random: () => number): Kill | undefined {
  if (random() >= 0.25) return undefined
  const dice = random()
  const signal = dice < 0.6 ? 'SIGKILL' : dice < 0.8 ? 'SIGINT' : 'SIGTERM'
  return {signal, after: 150 + random() * 1500}
}

/** The kinds of failures that a run of some minutes reaches. */
export const FAILURES = [
  ...['status 410', 'status 429', 'status 502', 'status 503', 'reset', 'lose', 'truncate', 'slow'],
  ...['silence', 'rateLimit', 'refresh-lost', 'clock +20m', 'clock +200d', 'read-only disk'],
  ...['another client', 'service SIGKILL', 'SIGKILL', 'SIGINT', 'SIGTERM'],
]
