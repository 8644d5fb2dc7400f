import {isOperationId} from '#lib/api/operations.js'
import {isObject} from '#lib/api/validate.js'
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

/** A plan that cannot be. `message` is a whole sentence and names the place. */
export class FaultPlanError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'FaultPlanError'
  }
}

/** What calls besides operations a rule can be for. */
const OTHERS: readonly string[] = ['batch', 'refresh'] satisfies FaultTarget[]

const SCHEDULES: Readonly<Record<Exclude<Schedule['kind'], 'always'>, FieldRule>> = {
  probability: {type: 'number', above: -1e-9, maximum: 1},
  every: {type: 'integer', minimum: 1},
  first: {type: 'integer', minimum: 1},
  calls: {type: 'numbers'},
}

/** Reads a plan from its JSON text (`plan.ts`). Throws `FaultPlanError`. */
export function readFaultPlan(text: string): FaultPlan {
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch (error) {
    throw new FaultPlanError(`The faults are not valid JSON: ${(error as Error).message}.`)
  }
  if (!isObject(document)) throw new FaultPlanError('The faults must be a JSON object with rules.')
  refuseOthers(document, ['seed', 'rules'], 'The faults have')
  const {seed = 1, rules} = document
  check('seed', seed, {type: 'integer', minimum: 0, maximum: 2 ** 32 - 1})
  if (!Array.isArray(rules)) throw new FaultPlanError('The faults need rules, a list.')
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
      `${at}.fault must be one of ${Object.keys(FAULTS).join(', ')}, not ${shown(kind)}.`,
    )
  }
  const fields: Readonly<Record<string, PlanField>> = FAULTS[kind as Fault['kind']]
  const known = ['operations', 'via', 'fault', ...Object.keys(SCHEDULES), ...Object.keys(fields)]
  refuseOthers(rule, known, `${at} (${kind}) has`)
  if (via !== undefined) check(`${at}.via`, via, {type: 'choice', of: CALL_KINDS})
  const isRefresh = kind === 'refresh-lost'
  if (isRefresh && operations !== undefined) {
    throw new FaultPlanError(`${at} (${kind}) takes no operations: it is for every refresh.`)
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
    throw new FaultPlanError(`${at} must name operations such as "files.get", or be "*" for all.`)
  }
  for (const name of names) {
    if (typeof name === 'string' && (OTHERS.includes(name) || isOperationId(name))) continue
    throw new FaultPlanError(
      `${at}: there is no operation ${shown(name)}. \`drv api describe\` lists them all; "*" means every one.`,
    )
  }
  return names as readonly FaultTarget[]
}

function readSchedule(rule: Readonly<Record<string, unknown>>, at: string): Schedule {
  const given = Object.entries(SCHEDULES).filter(([name]) => rule[name] !== undefined)
  const names = given.map(([name]) => name)
  if (names.length > 1) {
    throw new FaultPlanError(`${at} has ${names.join(' and ')}, but takes one of them only.`)
  }
  const [kind, field] = given[0] ?? []
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

function refuseOthers(
  record: Readonly<Record<string, unknown>>,
  known: readonly string[],
  start: string,
): void {
  const other = Object.keys(record).find(name => !known.includes(name))
  if (other === undefined) return
  throw new FaultPlanError(`${start} no field "${other}": there are ${known.join(', ')}.`)
}

function check(at: string, value: unknown, rule: FieldRule): void {
  const words = expected(value, rule)
  if (words !== undefined) throw new FaultPlanError(`${at} must be ${words}, not ${shown(value)}.`)
}

/** What should be there instead of `value`; `undefined` when it fits. */
function expected(value: unknown, rule: FieldRule): string | undefined {
  switch (rule.type) {
    case 'text':
      return typeof value === 'string' && value !== '' ? undefined : 'a text'
    case 'choice':
      return rule.of.includes(value as string) ? undefined : `one of ${rule.of.join(', ')}`
    case 'numbers':
      return Array.isArray(value) && value.length > 0 && value.every(isCount)
        ? undefined
        : 'a list of whole numbers from 1 on'
    case 'integer': {
      const {minimum, maximum = Infinity} = rule
      if (Number.isSafeInteger(value) && Number(value) >= minimum && Number(value) <= maximum) {
        return undefined
      }
      return `a whole number ${maximum === Infinity ? `from ${minimum} on` : `from ${minimum} to ${maximum}`}`
    }
    case 'number': {
      const {above, maximum = Infinity} = rule
      if (typeof value === 'number' && value > above && value <= maximum && value < Infinity) {
        return undefined
      }
      const least = above < 0 ? 'from 0' : `above ${above}`
      return `a number ${least}${maximum === Infinity ? '' : ` to ${maximum}`}`
    }
  }
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 1
}

function shown(value: unknown): string {
  return value === undefined ? 'missing' : JSON.stringify(value)
}
