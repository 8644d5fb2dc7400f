import {parentIds} from '#lib/api/reached.js'
import {FOLDER_TYPE} from '#lib/api/wire.js'
import type {ChangeGate} from '#lib/client/change-gate.js'
import type {BatchCall, CallInput, Outcome} from '#lib/client/client.js'
import {ServiceError} from '#lib/client/errors.js'
import {classifyFailure} from '#lib/client/retry/policy.js'
import {isObject} from '#lib/platform/values.js'
import {addCost, beyondLimits, type Cost, NO_COST} from './budget.js'
import type {ChangeFacts} from './change-facts.js'
import {
  createPolicyJudge,
  type JudgeOptions,
  type PlannedItems,
  type ProposedChange,
} from './judge.js'

/** Enforces policies: checks plans before their first change, and every change before it is sent. */
export interface PolicyGuard {
  /** The gate that every change of the command passes. */
  readonly gate: ChangeGate
  /**
   * Starts the check of a plan, on top of the changes that were sent before. A plan that is only shown or written may
   * be made even if changes require a plan.
   */
  plan(isOnlyShown: boolean): PlanCheck
}

/** The check of a plan, piece by piece. */
export interface PlanCheck {
  /** Checks the next changes; reads are ignored. Throws `PolicyError` for a change that a policy refuses. */
  add(changes: readonly ProposedChange[]): Promise<void>
}

/** What a change has taken from the limits, until its outcome is known. */
interface Ticket {
  readonly key: string
  readonly facts: ChangeFacts
  readonly input: CallInput
  cost: Cost
  /** An earlier attempt may have made the change. */
  readonly isDoubtful?: boolean
}

interface OpenSession {
  readonly ticket: Ticket
  /** The bytes that count so far. */
  counted: number
}

export function createPolicyGuard(options: JudgeOptions): PolicyGuard {
  const {limits} = options
  const judge = createPolicyJudge(options)
  const {folders} = judge
  /** The changes that were sent and not refused. */
  let used = NO_COST
  /** Changes whose outcome is unknown, by key: sending one again takes nothing more. */
  const doubtful = new Map<string, Cost[]>()
  const sessions = new Map<string, OpenSession>()

  /** Takes the costs of changes from the limits: of all, or of none. */
  function take(changes: ReadonlyArray<Omit<Ticket, 'cost'> & {readonly cost: Cost}>): Ticket[] {
    const again = new Map<string, number>()
    const tickets = changes.map(change => {
      const at = again.get(change.key) ?? 0
      const before = doubtful.get(change.key)?.[at]
      if (before) again.set(change.key, at + 1)
      return {...change, before}
    })
    const total = tickets.reduce((sum, {cost, before}) => (before ? sum : addCost(sum, cost)), used)
    const error = beyondLimits(limits, total)
    if (error) throw error
    used = total
    for (const [key, number] of again) {
      const rest = doubtful.get(key)!.slice(number)
      if (rest.length > 0) doubtful.set(key, rest)
      else doubtful.delete(key)
    }
    return tickets.map(({before, ...ticket}) => ({
      ...ticket,
      cost: before ?? ticket.cost,
      isDoubtful: before !== undefined,
    }))
  }

  /** Returns what a change took, unless an earlier attempt may have made it. */
  function release({key, cost, isDoubtful}: Ticket): void {
    if (isDoubtful) doubtful.set(key, [...(doubtful.get(key) ?? []), cost])
    else used = addCost(used, cost, -1)
  }

  function settle(ticket: Ticket, outcome: Outcome): void {
    const {facts, input} = ticket
    if ('record' in outcome) {
      if (facts.into.length + facts.removed.length > 0) folders.forget(facts.changed)
      const {record} = outcome
      const parents = isObject(record) && Array.isArray(record.parents) ? parentIds(record) : []
      if (typeof record?.id === 'string' && parents.length > 0 && facts.created !== undefined) {
        const type = record.mimeType ?? input.body?.mimeType
        folders.add(record.id, parents.map(String), type === FOLDER_TYPE)
      }
    } else if (isRefusal(outcome.error)) release(ticket)
    else release({...ticket, isDoubtful: true})
  }

  /** Takes an upload from the limits; without a call, of an unknown file. */
  async function open(call: BatchCall | undefined): Promise<OpenSession> {
    const [facts = UNKNOWN_UPLOAD] = call ? await judge.factsOf([call]) : []
    const [cost] = await judge.costs([facts], {isSession: true})
    const key = call ? keyOf(call) : ''
    const input = call?.input ?? {params: {}}
    const [ticket] = take([{key, facts, input, cost: cost!}])
    return {ticket: ticket!, counted: cost!.bytes}
  }

  /** Counts content beyond the announced size. */
  function countBytes(session: OpenSession, bytes: number): void {
    if (bytes <= session.counted) return
    const more = {...NO_COST, bytes: bytes - session.counted}
    const error = beyondLimits(limits, addCost(used, more))
    if (error) throw error
    used = addCost(used, more)
    session.ticket.cost = addCost(session.ticket.cost, more)
    session.counted = bytes
  }

  const gate: ChangeGate = {
    async calls(calls, send) {
      const facts = await judge.factsOf(calls)
      const costs = await judge.costs(facts)
      const tickets = take(
        calls.map((call, index) => ({
          ...{key: keyOf(call), input: call.input},
          ...{facts: facts[index]!, cost: costs[index]!},
        })),
      )
      let outcomes: readonly Outcome[] | undefined
      try {
        outcomes = await send(calls)
      } catch (error) {
        for (const ticket of tickets) settle(ticket, {error})
        throw error
      }
      for (const [index, ticket] of tickets.entries()) {
        if (outcomes) settle(ticket, outcomes[index]!)
        else release(ticket)
      }
      return outcomes
    },
    async session(call, start) {
      // A session that ended early is replaced with another one.
      const key = keyOf(call)
      const before = [...sessions].find(([, {ticket}]) => ticket.key === key)
      if (before) sessions.delete(before[0])
      const opened = before?.[1] ?? (await open(call))
      try {
        const session = await start(call.input)
        sessions.set(session, opened)
        return session
      } catch (error) {
        // A session that did not start has changed nothing.
        release(opened.ticket)
        throw error
      }
    },
    async transfer(session, send, {call, end = 0} = {}) {
      const known = sessions.get(session) ?? (await open(call))
      sessions.set(session, known)
      countBytes(known, end)
      const state = await send()
      if (state.isDone) {
        sessions.delete(session)
        settle(known.ticket, {record: state.record})
      }
      return state
    },
    async cancel(session, send) {
      await send()
      const known = sessions.get(session)
      if (!known) return
      sessions.delete(session)
      release(known.ticket)
    },
  }

  return {
    gate,
    plan(isOnlyShown) {
      const planned: PlannedItems = new Map()
      let sum = NO_COST
      return {
        async add(changes) {
          const facts = await judge.factsOf(changes)
          if (facts.length === 0) return
          const costs = await judge.costs(facts, {planned, isSession: true, isOnlyShown})
          sum = costs.reduce((total, cost) => addCost(total, cost), sum)
          const error = beyondLimits(limits, addCost(used, sum))
          if (error) throw error
        },
      }
    },
  }
}

/** The facts about a session that another process started, without a record of its request. */
const UNKNOWN_UPLOAD: ChangeFacts = {
  ...{id: 'an earlier upload', isKnown: false, isBlind: true, bytes: 0},
  ...{changed: [], removed: [], into: [], deletions: [], grants: []},
}

/** The same for every attempt to send a change. */
function keyOf({id, input: {params, body, upload}}: BatchCall): string {
  const {fields: _, ...others} = params
  return JSON.stringify([id, others, body ?? null, upload?.size ?? null])
}

/** Whether an error proves that the change was not made. */
function isRefusal(error: unknown): boolean {
  const {kind} = classifyFailure(error)
  if (kind === 'final') return error instanceof ServiceError
  return kind === 'rate' || kind === 'renewed' || kind === 'unreachable'
}
