import type {OperationId} from '#lib/api/operations.js'

/**
 * What is to go wrong, so that a client can be tested. As a JSON document:
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
 * A rule counts the calls that it is for, whatever other rules do to them. Of the rules that strike
 * a call, the first in the list counts.
 */
export interface FaultPlan {
  /** Where the random numbers start, from 0 to 2^32-1; 1 by default. The same calls in the same order meet the same faults. */
  readonly seed: number
  readonly rules: readonly FaultRule[]
}

/**
 * `batch` stands for a batch as a whole: the calls in it are left alone. `refresh` is the change of a
 * refresh token for an access token, at either token endpoint; `*` is not for it.
 */
export type FaultTarget = OperationId | 'batch' | 'refresh'

/**
 * How a call comes: `plain` with or for JSON, `upload` with content (or to begin a session),
 * `chunk` to the address of an upload session, `download` for content.
 */
export const CALL_KINDS = ['plain', 'upload', 'chunk', 'download'] as const
export type CallKind = (typeof CALL_KINDS)[number]

export interface FaultRule {
  /** For these, or for all (`*`). */
  readonly operations: '*' | readonly FaultTarget[]
  /** Only for calls that come this way; for all without it. */
  readonly via?: CallKind
  readonly when: Schedule
  readonly fault: Fault
}

/** Which of the calls of a rule, counted from 1. In the document at most one of them is given; none means all. */
export type Schedule =
  | {readonly kind: 'always'}
  /** Each with this chance, from 0 to 1. */
  | {readonly kind: 'probability'; readonly probability: number}
  /** The third, the sixth, the ninth for 3. */
  | {readonly kind: 'every'; readonly every: number}
  | {readonly kind: 'first'; readonly first: number}
  | {readonly kind: 'calls'; readonly calls: readonly number[]}

/** What a field of a fault may hold. */
export type FieldRule =
  | {readonly type: 'integer'; readonly minimum: number; readonly maximum?: number}
  | {readonly type: 'number'; readonly above: number; readonly maximum?: number}
  | {readonly type: 'numbers'}
  | {readonly type: 'text'}
  | {readonly type: 'choice'; readonly of: ReadonlyArray<string | number>}

/** A field may be left out where it has a `standard`, or is not `required`. */
export type PlanField = FieldRule & {readonly standard?: string | number; readonly required?: true}

const COUNT = {type: 'integer', minimum: 0} as const
const DIRECTION = {type: 'choice', of: ['request', 'response']} as const

/** The faults there are, each with its fields besides those of every rule. */
export const FAULTS = {
  /** An error answer; nothing was done. */
  status: {
    status: {type: 'integer', minimum: 400, maximum: 599, required: true},
    /** `errors[0].reason`; by default one that goes with the status. */
    reason: {type: 'text'},
    /** The header `Retry-After`, in seconds. */
    retryAfter: COUNT,
    /** How the error is told: as the service does, as a page of a machine in between, or not at all. */
    body: {type: 'choice', of: ['json', 'html', 'none'], standard: 'json'},
  },
  /**
   * The connection is reset. At the `request` after so many bytes of its body, at the latest at its
   * end, and before the operation is done. At the `response` after so many bytes of the answer,
   * before its last one; the operation is done.
   */
  reset: {
    at: {...DIRECTION, standard: 'request'},
    after: {...COUNT, standard: 0},
  },
  /** The body of the `request` is taken, or that of the `response` is sent, no faster than this. */
  slow: {
    at: {...DIRECTION, standard: 'response'},
    bytesPerSecond: {type: 'integer', minimum: 1, required: true},
  },
  /** The answer ends after so many bytes, and its headers say that this is all. */
  truncate: {after: {...COUNT, standard: 0}},
  /** The operation is done, and the connection is reset instead of an answer, `hold` seconds later. */
  lose: {hold: {type: 'number', above: -1e-9, maximum: 3600, standard: 0}},
  /** More calls a second than this, of all callers together, are answered with a `status` and `Retry-After`. */
  rateLimit: {
    perSecond: {type: 'number', above: 0, required: true},
    status: {type: 'choice', of: [429, 403], standard: 429},
    reason: {type: 'text', standard: 'rateLimitExceeded'},
  },
  /** The token that comes with the call has expired from now on; its refresh token has not. */
  'token-expire': {},
  /** `lose` for a refresh: the old refresh token is used, and nobody has the new one. It is for no operation. */
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

/** What a rule goes by when it decides about a call. */
export interface FaultCall {
  readonly target: FaultTarget
  readonly via: CallKind
  /** Unix ms. */
  readonly now: number
}

/** What a rule remembers from call to call. */
interface RuleState {
  /** Calls that it was for. */
  readonly calls: number
  /** Of its random numbers. */
  readonly random: number
  /** Of a rate limit: calls that may still pass, as of `at` (Unix ms); `undefined` before the first. */
  readonly allowance?: {readonly left: number; readonly at: number}
}

/** The fault a call meets. One of a rate limit says how many seconds to wait. */
export type Strike = Fault & {readonly wait?: number}

/** Each rule has random numbers of its own, so that one more rule leaves the others as they were. */
export function firstStates({seed, rules}: FaultPlan): RuleState[] {
  return rules.map((_, index) => ({calls: 0, random: (seed + index * 0x9e3779b9) >>> 0}))
}

/** What becomes of a call, and the states of the rules after it. */
export function decideAll(
  rules: readonly FaultRule[],
  states: readonly RuleState[],
  call: FaultCall,
): {readonly states: RuleState[]; readonly strike?: Strike} {
  const decisions = rules.map((rule, index) => decide(rule, states[index]!, call))
  return {
    states: decisions.map(({state}) => state),
    strike: decisions.find(({strike}) => strike)?.strike,
  }
}

/** Whether a rule strikes a call. A rate limit with a schedule counts only the calls that this names. */
export function decide(
  rule: FaultRule,
  state: RuleState,
  call: FaultCall,
): {readonly state: RuleState; readonly strike?: Strike} {
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

/** Calls that may pass now: so many a second come in, and no more than a second's worth are kept. */
function allowanceAt({allowance}: RuleState, perSecond: number, now: number): number {
  const most = Math.max(1, perSecond)
  if (!allowance) return most
  const passed = Math.max(0, now - allowance.at) / 1000
  return Math.min(most, allowance.left + passed * perSecond)
}

/** A number from 0 to 1, without 1, and the state of the one after it (mulberry32). */
function draw(state: number): {value: number; next: number} {
  const next = (state + 0x6d2b79f5) >>> 0
  let mixed = Math.imul(next ^ (next >>> 15), next | 1)
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
  return {value: ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32, next}
}
