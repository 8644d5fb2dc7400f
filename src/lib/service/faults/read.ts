import {isOperationId} from '#lib/api/operations.js'
import {isObject} from '#lib/api/validate.js'
import {joinWithOr} from '#lib/platform/values.js'
import {
  CALL_KINDS,
  type CallKind,
  type Fault,
  type FaultPlan,
  type FaultRule,
  FAULTS,
  type FaultTarget,
  type FieldRule,
  type PlanField,
  type Schedule,
} from './plan.js'

/** Thrown for an invalid fault plan. The message is a sentence that names the field, such as `rules[0].after`. */
export class FaultPlanError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'FaultPlanError'
  }
}

/** Names in `operations` that are not operations. */
const OTHERS: readonly string[] = ['batch', 'refresh'] satisfies FaultTarget[]

const SCHEDULES: Readonly<Record<Exclude<Schedule['kind'], 'always'>, FieldRule>> = {
  probability: {type: 'number', above: -1e-9, maximum: 1},
  every: {type: 'integer', minimum: 1},
  first: {type: 'integer', minimum: 1},
  calls: {type: 'numbers'},
}

/** Parses a fault plan, a JSON document as described in `plan.ts`. Throws `FaultPlanError`. */
export function readFaultPlan(text: string): FaultPlan {
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch (error) {
    throw new FaultPlanError(`The fault rules are not valid JSON: ${(error as Error).message}.`)
  }
  if (!isObject(document)) {
    throw new FaultPlanError('The fault rules must be a JSON object with the field "rules".')
  }
  refuseUnknownFields(document, ['seed', 'rules'], 'The JSON object')
  const {seed = 1, rules} = document
  check('seed', seed, {type: 'integer', minimum: 0, maximum: 2 ** 32 - 1})
  if (!Array.isArray(rules)) throw new FaultPlanError('The field "rules" must be a list.')
  return {
    seed: seed as number,
    rules: rules.map((rule, index) => readRule(rule, `rules[${index}]`)),
  }
}

function readRule(rule: unknown, at: string): FaultRule {
  if (!isObject(rule)) throw new FaultPlanError(`${at} must be an object.`)
  const {operations, via, fault: kind} = rule
  if (typeof kind !== 'string' || !Object.hasOwn(FAULTS, kind)) {
    throw new FaultPlanError(
      `${at}.fault must be ${joinWithOr(Object.keys(FAULTS))}, not ${shown(kind)}.`,
    )
  }
  const fields: Readonly<Record<string, PlanField>> = FAULTS[kind as Fault['kind']]
  const known = ['operations', 'via', 'fault', ...Object.keys(SCHEDULES), ...Object.keys(fields)]
  refuseUnknownFields(rule, known, `${at} (${kind})`)
  if (via !== undefined) check(`${at}.via`, via, {type: 'choice', of: CALL_KINDS})
  const isRefresh = kind === 'refresh-lost'
  if (isRefresh && operations !== undefined) {
    throw new FaultPlanError(
      `${at} (${kind}) must not have operations: it always applies to token refreshes.`,
    )
  }
  return {
    operations: isRefresh ? ['refresh'] : readOperations(operations, `${at}.operations`),
    ...(via !== undefined && {via: via as CallKind}),
    when: readSchedule(rule, at),
    fault: readFault(rule, kind, fields, at),
  }
}

function readOperations(value: unknown, at: string): FaultRule['operations'] {
  if (value === '*') return value
  const names: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (value === undefined || names.length === 0) {
    throw new FaultPlanError(
      `${at} must be an operation such as "files.get", a list, or "*" for all.`,
    )
  }
  for (const name of names) {
    if (typeof name === 'string' && (OTHERS.includes(name) || isOperationId(name))) continue
    throw new FaultPlanError(
      `${at}: unknown operation ${shown(name)}. Use a name that \`drv api describe\` lists, such as "files.get", or "*" for all.`,
    )
  }
  return names as readonly FaultTarget[]
}

function readSchedule(rule: Readonly<Record<string, unknown>>, at: string): Schedule {
  const schedules = Object.entries(SCHEDULES).filter(([name]) => rule[name] !== undefined)
  const names = schedules.map(([name]) => name)
  if (names.length > 1) {
    throw new FaultPlanError(`${at} has ${names.map(shown).join(' and ')}. Use only one of them.`)
  }
  const [kind, field] = schedules[0] ?? []
  if (kind === undefined || field === undefined) return {kind: 'always'}
  check(`${at}.${kind}`, rule[kind], field)
  return {kind, [kind]: rule[kind]} as unknown as Schedule
}

function readFault(
  rule: Readonly<Record<string, unknown>>,
  kind: string,
  fields: Readonly<Record<string, PlanField>>,
  at: string,
): Fault {
  const values: Record<string, unknown> = {kind}
  for (const [name, field] of Object.entries(fields)) {
    const value = rule[name] ?? field.standard
    if (value === undefined && !field.required) continue
    check(`${at}.${name}`, value, field)
    values[name] = value
  }
  return values as unknown as Fault
}

function refuseUnknownFields(
  record: Readonly<Record<string, unknown>>,
  known: readonly string[],
  subject: string,
): void {
  const unknown = Object.keys(record).find(name => !known.includes(name))
  if (unknown === undefined) return
  throw new FaultPlanError(
    `${subject} has the unknown field "${unknown}". Known fields: ${known.join(', ')}.`,
  )
}

function check(at: string, value: unknown, rule: FieldRule): void {
  const description = expected(value, rule)
  if (description === undefined) return
  throw new FaultPlanError(
    value === undefined
      ? `${at} is missing: it must be ${description}.`
      : `${at} must be ${description}, not ${shown(value)}.`,
  )
}

/** Describes the values that `rule` accepts; `undefined` if `value` is one of them. */
function expected(value: unknown, rule: FieldRule): string | undefined {
  switch (rule.type) {
    case 'text':
      return typeof value === 'string' && value !== '' ? undefined : 'a non-empty string'
    case 'choice':
      return rule.of.includes(value as string) ? undefined : joinWithOr(rule.of.map(String))
    case 'numbers':
      return Array.isArray(value) && value.length > 0 && value.every(isCount)
        ? undefined
        : 'a list of positive integers'
    case 'integer': {
      const {minimum, maximum = Infinity} = rule
      if (Number.isSafeInteger(value) && Number(value) >= minimum && Number(value) <= maximum) {
        return undefined
      }
      return maximum === Infinity
        ? `an integer of at least ${minimum}`
        : `an integer from ${minimum} to ${maximum}`
    }
    case 'number': {
      const {above, maximum = Infinity} = rule
      if (typeof value === 'number' && value > above && value <= maximum && value < Infinity) {
        return undefined
      }
      if (above >= 0) return `a number above ${above}`
      return maximum === Infinity ? 'a number of at least 0' : `a number from 0 to ${maximum}`
    }
  }
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 1
}

function shown(value: unknown): string {
  return value === undefined ? 'missing' : JSON.stringify(value)
}
