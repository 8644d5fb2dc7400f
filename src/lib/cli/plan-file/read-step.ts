import {isAbsolute, resolve} from 'node:path'
import {isObject, quoteText} from '#lib/api/validate.js'
import {joinWithOr} from '#lib/platform/values.js'
import {
  MOST_AFTER,
  PLAN_VERSION,
  type PlanEnd,
  type PlanHead,
  type PlanLine,
  type PlanLocalFile,
  type PlanOutput,
  type PlanStep,
} from './format.js'
import {LineError} from './read-lines.js'
import {requestProblem} from './step-request.js'

/** Checks single lines of a plan as untrusted input. Pure. All throw `LineError`. */

/** Why the value of the field `at` is invalid, to follow the line number; `undefined` if it is valid. */
type Check = (value: unknown, at: string) => string | undefined

const must =
  (words: string, isValid: (value: unknown) => boolean): Check =>
  (value, at) =>
    isValid(value) ? undefined : `has an invalid "${at}": it must be ${words}`

const isText = (value: unknown): value is string => typeof value === 'string'
const text = must('a string', isText)
const flag = must('true or false', value => typeof value === 'boolean')
const amount = must(
  'an integer, 0 or above',
  value => Number.isSafeInteger(value) && (value as number) >= 0,
)
const time = must('a number', value => typeof value === 'number' && Number.isFinite(value))
const md5 = must('an MD5 in hexadecimal', value => isText(value) && /^[0-9a-f]{32}$/.test(value))
const record = must('an object', isObject)
const matching = (words: string, pattern: RegExp) =>
  must(words, value => isText(value) && pattern.test(value))
const oneOf = (...values: readonly string[]) =>
  must(joinWithOr(values.map(quoteText)), value => isText(value) && values.includes(value))
const orNull =
  (check: Check): Check =>
  (value, at) =>
    value === null ? undefined : check(value, at)

/** Checks the fields of an object: each known, each valid, and none of the required ones missing. */
const fields =
  (checks: Readonly<Record<string, Check>>, required: readonly string[]): Check =>
  (value, at) => {
    if (!isObject(value)) return record(value, at)
    const nameOf = (name: string) => (at === '' ? name : `${at}.${name}`)
    for (const [name, inner] of Object.entries(value)) {
      if (!Object.hasOwn(checks, name)) return `has the unknown field ${quoteText(nameOf(name))}`
      const reason = checks[name]!(inner, nameOf(name))
      if (reason !== undefined) return reason
    }
    const missing = required.find(name => !Object.hasOwn(value, name))
    return missing === undefined ? undefined : `has no ${nameOf(missing)}`
  }

const KEY = /^[1-9]\d{0,11}$/

const isKey = (value: unknown) => isText(value) && KEY.test(value)
const key = must('a string with a positive integer, such as "17"', isKey)
const keys = must(
  `a list of at most ${MOST_AFTER} keys`,
  value => Array.isArray(value) && value.length <= MOST_AFTER && value.every(isKey),
)
const isValue = (one: unknown) => isText(one) || (Array.isArray(one) && one.every(isText))
const values: Check = (value, at) => {
  if (!isObject(value)) return record(value, at)
  const wrong = Object.keys(value).find(name => !isValue(value[name]))
  return wrong === undefined ? undefined : text(value[wrong], `${at}.${wrong}`)
}

/** A path below the root of the plan, with `/`, that means the same on every system. */
const localPath = must(
  'a relative path without empty parts, ".", ".." or characters that file names cannot contain',
  value => {
    if (!isText(value)) return false
    const parts = value.split('/')
    const isInside = parts.every(part => part !== '' && part !== '.' && part !== '..')
    const isPlain = !value.includes('\0') && !(process.platform === 'win32' && /[\\:]/.test(value))
    return isInside && isPlain && !isAbsolute(value)
  },
)

const local: Readonly<Record<keyof PlanLocalFile, Check>> = {
  path: localPath,
  size: amount,
  md5,
  mimeType: text,
}

const output: Readonly<Record<keyof PlanOutput, Check>> = {
  path: localPath,
  overwrite: flag,
  size: amount,
  md5,
  modified: time,
  before: fields({size: amount, modified: time}, ['size', 'modified']),
}

const extent = {files: amount, folders: amount, bytes: amount, isMore: flag}

const STEP: Readonly<Record<keyof PlanStep, Check>> = {
  key,
  action: text,
  label: text,
  effect: oneOf('changes', 'may destroy', 'destroys'),
  operation: text,
  params: values,
  body: record,
  etag: matching('an ETag', /^[\x21-\x7e\x80-\xff ]{1,1000}$/),
  found: record,
  path: text,
  impact: fields(extent, ['files', 'folders', 'bytes']),
  after: keys,
  local: fields(local, ['path', 'size', 'md5']),
  output: fields(output, ['path', 'overwrite']),
  here: oneOf('mkdir', 'remove'),
  afterAll: text,
  aside: must('true', value => value === true),
  undoes: matching('the ID of a change in the history', /^[0-9a-z]{1,40}\/[1-9]\d{0,9}$/),
  before: record,
}

const HEAD: Readonly<Record<keyof PlanHead, Check>> = {
  plan: must(String(PLAN_VERSION), value => value === PLAN_VERSION),
  id: matching('an ID', /^[\w-]{8,100}$/),
  time: must('a time', value => isText(value) && !Number.isNaN(Date.parse(value))),
  drv: text,
  command: text,
  service: text,
  account: orNull(fields({id: text, login: text}, [])),
  root: orNull(
    must(
      'an absolute path without `.` and `..`',
      value =>
        isText(value) && !value.includes('\0') && isAbsolute(value) && resolve(value) === value,
    ),
  ),
}

const END: Readonly<Record<keyof PlanEnd, Check>> = {end: fields({steps: amount}, ['steps'])}

const checkHead = fields(HEAD, Object.keys(HEAD))
const checkStep = fields(STEP, ['key', 'action', 'label', 'effect'])
const checkEnd = fields(END, ['end'])

/** The first line of a plan. Throws `LineError` for anything else, and for another version. */
export function readHead(value: Readonly<Record<string, unknown>>): PlanHead {
  if (!Object.hasOwn(value, 'plan')) throw new LineError('is not the first line of a plan')
  if (value.plan !== PLAN_VERSION) {
    const {plan} = value
    const text = typeof plan === 'string' ? plan : JSON.stringify(plan)
    const version = typeof plan === 'number' ? text : quoteText(text)
    throw new LineError(`has version ${version}, which this version of drv does not support`)
  }
  refuse(checkHead(value, ''))
  return value as unknown as PlanHead
}

/** A later line: a step or the end. `root` is that of the plan. Throws `LineError`. */
export function readStep(
  value: Readonly<Record<string, unknown>>,
  root: string | null,
): PlanStep | PlanEnd {
  if (Object.hasOwn(value, 'end')) {
    refuse(checkEnd(value, ''))
    return value as unknown as PlanEnd
  }
  refuse(checkStep(value, ''))
  const step = value as unknown as PlanStep
  refuse(placeProblem(step, root) ?? (step.here ? hereProblem(step) : requestProblem(step)))
  return step
}

/** Whether a line is the end. */
export function isEnd(line: PlanLine): line is PlanEnd {
  return 'end' in line
}

function placeProblem({local, output}: PlanStep, root: string | null): string | undefined {
  if (root !== null || (!local && !output)) return undefined
  return 'has a local path, but the plan has no root'
}

function hereProblem(step: PlanStep): string | undefined {
  if (!step.output) return `has no output, which ${quoteText(step.here!)} requires`
  const other = (
    ['operation', 'params', 'body', 'etag', 'found', 'local', 'undoes', 'before'] as const
  ).find(name => step[name] !== undefined)
  return other && `has both "here" and "${other}"`
}

function refuse(reason: string | undefined): void {
  if (reason !== undefined) throw new LineError(reason)
}
