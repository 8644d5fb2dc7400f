import type {CallKind, Fault, FaultPlan, FaultRule, FaultTarget, Schedule} from './plan.js'

/** What a rule goes by when it decides about a call. */
export interface FaultCall {
  readonly target: FaultTarget
  readonly via: CallKind
  /** Unix ms. */
  readonly now: number
}

/** What a rule remembers from call to call. */
export interface RuleState {
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
  const isNamed = operations === '*' || operations.includes(call.target)
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
