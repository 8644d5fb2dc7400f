import type {OperationId} from '#lib/api/operations.js'

/**
 * A plan of simulated failures, to test clients. As a JSON document:
 *
 *     {"seed": 7, "rules": [
 *       {"operations": "*", "fault": "status", "status": 503, "retryAfter": 2, "probability": 0.1},
 *       {"operations": "files.insert", "via": "chunk", "fault": "reset", "at": "request",
 *        "after": 100000, "every": 3},
 *       {"operations": ["files.get"], "via": "download", "fault": "truncate", "after": 10, "first": 1},
 *       {"operations": "files.copy", "fault": "lose", "calls": [2, 5]},
 *       {"operations": "*", "fault": "rateLimit", "perSecond": 10},
 *       {"operations": "files.list", "fault": "token-expire", "calls": [3]},
 *       {"fault": "refresh-lost", "first": 1}
 *     ]}
 *
 * Each rule counts the calls it matches, regardless of other rules. If several rules apply to a call,
 * the first in the list decides.
 */
export interface FaultPlan {
  /** Seed of the random numbers, from 0 to 2^32-1 (default: 1). The same calls in the same order get the same faults. */
  readonly seed: number
  readonly rules: readonly FaultRule[]
}

/**
 * `batch` is a whole batch, not the calls in it. `refresh` is a token refresh at either token
 * endpoint; `*` does not include it.
 */
export type FaultTarget = OperationId | 'batch' | 'refresh'

/**
 * Kinds of calls: `plain` sends or requests JSON, `upload` sends content or starts an upload session,
 * `chunk` goes to the URL of an upload session, `download` requests content.
 */
export const CALL_KINDS = ['plain', 'upload', 'chunk', 'download'] as const
export type CallKind = (typeof CALL_KINDS)[number]

export interface FaultRule {
  /** The operations that the rule matches; `*` for all. */
  readonly operations: '*' | readonly FaultTarget[]
  /** The kind of calls that the rule matches (default: all). */
  readonly via?: CallKind
  readonly when: Schedule
  readonly fault: Fault
}

/** The matching calls that a rule applies to, counted from 1. A rule in the document has at most one of these fields; none means all calls. */
export type Schedule =
  | {readonly kind: 'always'}
  /** Each call with this probability, from 0 to 1. */
  | {readonly kind: 'probability'; readonly probability: number}
  /** Every Nth call: the third, sixth and ninth for 3. */
  | {readonly kind: 'every'; readonly every: number}
  | {readonly kind: 'first'; readonly first: number}
  | {readonly kind: 'calls'; readonly calls: readonly number[]}

/** The values that a field of a fault accepts. */
export type FieldRule =
  | {readonly type: 'integer'; readonly minimum: number; readonly maximum?: number}
  | {readonly type: 'number'; readonly above: number; readonly maximum?: number}
  | {readonly type: 'numbers'}
  | {readonly type: 'text'}
  | {readonly type: 'choice'; readonly of: ReadonlyArray<string | number>}

/** A field of a fault. It may be missing if it has a `standard` value or is not `required`. */
export type PlanField = FieldRule & {readonly standard?: string | number; readonly required?: true}

const COUNT = {type: 'integer', minimum: 0} as const
const DIRECTION = {type: 'choice', of: ['request', 'response']} as const

/** All faults, with the fields they have in addition to those of every rule. */
export const FAULTS = {
  /** Returns an error without running the operation. */
  status: {
    status: {type: 'integer', minimum: 400, maximum: 599, required: true},
    /** `errors[0].reason` (default: the usual reason for the status). */
    reason: {type: 'text'},
    /** The header `Retry-After`, in seconds. */
    retryAfter: COUNT,
    /** The body of the error: JSON as from the service, an HTML page as from a proxy, or none. */
    body: {type: 'choice', of: ['json', 'html', 'none'], standard: 'json'},
  },
  /**
   * Resets the connection. At the `request`: after `after` bytes of its body, at the latest at its end,
   * and before the operation runs. At the `response`: after the operation has run and `after` bytes of
   * the response are sent, at the latest before its last byte.
   */
  reset: {
    at: {...DIRECTION, standard: 'request'},
    after: {...COUNT, standard: 0},
  },
  /** Limits the speed of reading the `request` body or sending the `response` body. */
  slow: {
    at: {...DIRECTION, standard: 'response'},
    bytesPerSecond: {type: 'integer', minimum: 1, required: true},
  },
  /** Ends the response after `after` bytes, with a matching Content-Length. */
  truncate: {after: {...COUNT, standard: 0}},
  /** Runs the operation, waits `hold` seconds, and resets the connection instead of responding. */
  lose: {hold: {type: 'number', above: -1e-9, maximum: 3600, standard: 0}},
  /** Refuses calls above `perSecond`, counted over all clients, with `status` and `Retry-After`. */
  rateLimit: {
    perSecond: {type: 'number', above: 0, required: true},
    status: {type: 'choice', of: [429, 403], standard: 429},
    reason: {type: 'text', standard: 'rateLimitExceeded'},
  },
  /** Expires the access token of the call, but not its refresh token. */
  'token-expire': {},
  /** Like `lose`, for token refreshes only: the old refresh token is used up, and the new one never arrives. */
  'refresh-lost': {hold: {type: 'number', above: -1e-9, maximum: 3600, standard: 0}},
} as const satisfies Readonly<Record<string, Readonly<Record<string, PlanField>>>>

type ValueOf<F> = F extends {of: ReadonlyArray<infer Value>}
  ? Value
  : F extends {type: 'text'}
    ? string
    : number
type Always = {readonly required: true} | {readonly standard: unknown}
type FieldsOf<Fields> = {
  readonly [Name in keyof Fields as Fields[Name] extends Always ? Name : never]: ValueOf<
    Fields[Name]
  >
} & {
  readonly [Name in keyof Fields as Fields[Name] extends Always ? never : Name]?: ValueOf<
    Fields[Name]
  >
}

type Faults = typeof FAULTS
/** A fault with the fields of its kind. */
export type Fault = {
  [Kind in keyof Faults]: {readonly kind: Kind} & FieldsOf<Faults[Kind]>
}[keyof Faults]

/** A call as fault rules see it. */
export interface FaultCall {
  readonly target: FaultTarget
  readonly via: CallKind
  /** Unix ms. */
  readonly now: number
}

/** The state of a rule between calls. */
interface RuleState {
  /** Number of matching calls so far. */
  readonly calls: number
  /** State of its random number generator. */
  readonly random: number
  /** Of a rate limit: the calls left at the time `at` (Unix ms); `undefined` before the first call. */
  readonly allowance?: {readonly left: number; readonly at: number}
}

/** The fault of a call. For a rate limit, `wait` is the time in seconds before the next attempt. */
export type FaultStrike = Fault & {readonly wait?: number}

/** Returns the initial states. Each rule has its own random numbers, so that adding a rule does not change the others. */
export function firstStates({seed, rules}: FaultPlan): RuleState[] {
  return rules.map((_, index) => ({calls: 0, random: (seed + index * 0x9e3779b9) >>> 0}))
}

/** Returns the fault of a call, if any, and the states of the rules after it. */
export function decideAll(
  rules: readonly FaultRule[],
  states: readonly RuleState[],
  call: FaultCall,
): {readonly states: RuleState[]; readonly strike?: FaultStrike} {
  const decisions = rules.map((rule, index) => decideFault(rule, states[index]!, call))
  return {
    states: decisions.map(({state}) => state),
    strike: decisions.find(({strike}) => strike)?.strike,
  }
}

/** Returns the fault of a call by one rule, if any. A rate limit with a schedule counts only the scheduled calls. */
export function decideFault(
  rule: FaultRule,
  state: RuleState,
  call: FaultCall,
): {readonly state: RuleState; readonly strike?: FaultStrike} {
  if (!isFor(rule, call)) return {state}
  const {value, next} = draw(state.random)
  const counted: RuleState = {...state, calls: state.calls + 1, random: next}
  if (!isDue(rule.when, counted.calls, value)) return {state: counted}
  if (rule.fault.kind !== 'rateLimit') return {state: counted, strike: rule.fault}
  const {perSecond} = rule.fault
  const left = allowanceAt(counted, perSecond, call.now)
  if (left >= 1) return {state: {...counted, allowance: {left: left - 1, at: call.now}}}
  const wait = Math.max(1, Math.ceil((1 - left) / perSecond))
  return {
    state: {...counted, allowance: {left, at: call.now}},
    strike: {...rule.fault, wait},
  }
}

function isFor({operations, via}: FaultRule, call: FaultCall): boolean {
  const isNamed = operations === '*' ? call.target !== 'refresh' : operations.includes(call.target)
  return isNamed && (via === undefined || via === call.via)
}

function isDue(when: Schedule, count: number, chance: number): boolean {
  switch (when.kind) {
    case 'always':
      return true
    case 'probability':
      return chance < when.probability
    case 'every':
      return count % when.every === 0
    case 'first':
      return count <= when.first
    case 'calls':
      return when.calls.includes(count)
  }
}

/** Returns the calls left now: `perSecond` are added each second, up to the number for one second. */
function allowanceAt({allowance}: RuleState, perSecond: number, now: number): number {
  const most = Math.max(1, perSecond)
  if (!allowance) return most
  const passed = Math.max(0, now - allowance.at) / 1000
  return Math.min(most, allowance.left + passed * perSecond)
}

/** Returns a random number from 0 up to but excluding 1, and the next state (mulberry32). */
function draw(state: number): {value: number; next: number} {
  const next = (state + 0x6d2b79f5) >>> 0
  let mixed = Math.imul(next ^ (next >>> 15), next | 1)
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
  return {value: ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32, next}
}
