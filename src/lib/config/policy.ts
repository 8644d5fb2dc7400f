import {isObject, parseBytes} from '#lib/platform/values.js'

/**
 * Policies: limits that flags cannot override, set for a profile or in the file that DRV_POLICY names. Pure: reads values,
 * merges them and compares them. Enforcing them: `lib/policy`.
 */

/** A folder that changes are limited to. */
export interface PolicyFolder {
  /** As typed. */
  readonly path: string
  /** Its ID when the policy was set; `undefined` in files, whose paths are resolved in each run. */
  readonly id?: string
}

/** The values of policies by name, as stored. */
export interface PolicyValues {
  readonly 'read-only'?: true
  readonly 'max-delete'?: number
  readonly 'max-changes'?: number
  readonly 'max-bytes'?: number
  readonly only?: readonly PolicyFolder[]
  readonly 'no-share-outside'?: readonly string[]
  readonly 'no-public'?: true
  readonly 'require-plan'?: true
}

export type PolicyName = keyof PolicyValues

/** What each policy does, in the order of lists. */
export const POLICY_WORDS: Readonly<Record<PolicyName, string>> = {
  'read-only': 'Refuse every change.',
  'max-delete': 'Maximum number of items that a command trashes or deletes.',
  'max-changes': 'Maximum number of changes that a command makes.',
  'max-bytes': 'Maximum number of bytes that a command uploads.',
  only: 'Change nothing outside these folders.',
  'no-share-outside': 'Share only with people in these domains.',
  'no-public': 'Never give access to everyone who has the link.',
  'require-plan': 'Make changes only with `drv apply`.',
}

export const POLICY_NAMES = Object.keys(POLICY_WORDS) as readonly PolicyName[]

export function isPolicyName(name: string): name is PolicyName {
  return Object.hasOwn(POLICY_WORDS, name)
}

/** Where a policy is set: the name of a profile, or the path in DRV_POLICY. */
export interface PolicySource {
  readonly kind: 'profile' | 'file'
  readonly name: string
}

/** The policies of one source. */
export interface Policies {
  readonly source: PolicySource
  readonly values: PolicyValues
}

/** One policy in force. */
export interface PolicyLimit<T> {
  readonly name: PolicyName
  readonly value: T
  readonly source: PolicySource
}

/** The policies in force, merged from all sources; of several numbers, the smallest. */
export interface Limits {
  readonly maxDelete?: PolicyLimit<number>
  readonly maxChanges?: PolicyLimit<number>
  readonly maxBytes?: PolicyLimit<number>
  readonly noPublic?: PolicyLimit<true>
  readonly requirePlan?: PolicyLimit<true>
  /** A change must be inside the folders of each. */
  readonly only: ReadonlyArray<PolicyLimit<readonly PolicyFolder[]>>
  /** A domain must be in each. */
  readonly noShareOutside: ReadonlyArray<PolicyLimit<readonly string[]>>
}

/** Reads the values of policies by name. Returns the problem, which follows the name of the file, if one is invalid. */
export function parsePolicies(value: unknown): {values: PolicyValues} | {problem: string} {
  if (!isObject(value)) return {problem: 'is not a mapping of policy names to values'}
  const values: Record<string, unknown> = {}
  for (const [name, given] of Object.entries(value)) {
    if (!isPolicyName(name)) {
      return {
        problem: `has an unknown policy ${JSON.stringify(name)} (known: ${POLICY_NAMES.join(', ')})`,
      }
    }
    const parsed = parsePolicyValue(name, given)
    if ('problem' in parsed) return {problem: `has an invalid "${name}": it ${parsed.problem}`}
    if (parsed.value !== undefined) values[name] = parsed.value
  }
  return {values: values}
}

/** Reads the value of a policy; `undefined` for one that is switched off. */
export function parsePolicyValue(
  name: PolicyName,
  given: unknown,
): {value: PolicyValues[PolicyName]} | {problem: string} {
  switch (name) {
    case 'max-delete':
    case 'max-changes': {
      const number = typeof given === 'string' && /^\d+$/.test(given) ? Number(given) : given
      if (Number.isSafeInteger(number) && (number as number) >= 0) return {value: number as number}
      return {problem: 'must be an integer, 0 or above'}
    }
    case 'max-bytes': {
      const bytes = typeof given === 'string' ? parseSize(given) : given
      if (Number.isSafeInteger(bytes) && (bytes as number) >= 0) return {value: bytes as number}
      return {problem: 'must be a size such as 500K, 10M or 2GiB'}
    }
    case 'only': {
      const folders = listOf(given).map(folderOf)
      if (folders.length > 0 && folders.every(folder => folder !== undefined)) {
        return {value: folders}
      }
      return {problem: 'must be the path of a folder, or a list of paths'}
    }
    case 'no-share-outside': {
      const domains = listOf(given).map(domain => String(domain).toLowerCase().replace(/^@/, ''))
      if (domains.length > 0 && domains.every(isDomain)) return {value: domains}
      return {problem: 'must be a domain such as example.com, or a list of domains'}
    }
    default:
      if (given === true || given === false) return {value: given || undefined}
      return {problem: 'must be true or false'}
  }
}

/** The number of bytes in `10M`, `10MB` or `10MiB`, all powers of 1024. */
function parseSize(text: string): number | undefined {
  const bytes = parseBytes(
    text
      .trim()
      .replace(/\s*(?:(?<=[KMGT])i?)?B$/i, '')
      .replace(/\s+/, ''),
  )
  return bytes === undefined ? undefined : Math.floor(bytes)
}

function listOf(given: unknown): readonly unknown[] {
  return Array.isArray(given) ? given : [given]
}

function folderOf(given: unknown): PolicyFolder | undefined {
  if (typeof given === 'string' && given !== '') return {path: given}
  if (!isObject(given)) return undefined
  const {path, id, ...others} = given
  const isText = (text: unknown) => typeof text === 'string' && text !== ''
  if (!isText(path) || !isText(id) || Object.keys(others).length > 0) return undefined
  return {path: path as string, id: id as string}
}

function isDomain(text: string): boolean {
  return /^[^\s@./]+(\.[^\s@./]+)*$/.test(text)
}

/** The limits in force: the strictest of all sources. */
export function limitsOf(all: readonly Policies[]): Limits {
  const each = <N extends PolicyName>(name: N) =>
    all.flatMap(({source, values}) => {
      const value = values[name] as NonNullable<PolicyValues[N]> | undefined
      return value === undefined ? [] : [{name, value, source}]
    })
  const smallest = (name: 'max-delete' | 'max-changes' | 'max-bytes') =>
    each(name).sort((a, b) => a.value - b.value)[0]
  return {
    maxDelete: smallest('max-delete'),
    maxChanges: smallest('max-changes'),
    maxBytes: smallest('max-bytes'),
    noPublic: each('no-public')[0],
    requirePlan: each('require-plan')[0],
    only: each('only'),
    noShareOutside: each('no-share-outside'),
  }
}

/** Whether any limit is in force; read-only mode does not count. */
export function hasLimits({only, noShareOutside, ...others}: Limits): boolean {
  return (
    only.length + noShareOutside.length > 0 ||
    Object.values(others).some(limit => limit !== undefined)
  )
}

/** Whether changing a policy from one value to another allows more; `undefined` means that it is not set. */
export function isLooser<N extends PolicyName>(
  before: PolicyValues[N],
  after: PolicyValues[N],
): boolean {
  if (before === undefined) return false
  if (after === undefined) return true
  if (typeof before === 'number') return (after as number) > before
  const keys = (value: unknown): unknown[] =>
    Array.isArray(value) ? value.map((one: unknown) => (isObject(one) ? one.id : one)) : []
  const known = keys(before)
  return keys(after).some(key => !known.includes(key))
}

/** A value in one line: `50`, `10 MiB`, `/Reports, drive:Finance`; empty for a switch. */
export function policyValueText(value: unknown, name: PolicyName): string {
  if (Array.isArray(value)) {
    return value.map(one => (isObject(one) ? String(one.path) : String(one))).join(', ')
  }
  if (name === 'max-bytes') return bytesText(value as number)
  return value === true ? '' : String(value)
}

/** `10 MiB`, `1536 B`: exact, in the largest unit that has no fraction. */
function bytesText(bytes: number): string {
  const units = ['TiB', 'GiB', 'MiB', 'KiB']
  const at = units.findIndex((_, index) => bytes % 1024 ** (4 - index) === 0)
  return at < 0 || bytes === 0 ? `${bytes} B` : `${bytes / 1024 ** (4 - at)} ${units[at]}`
}

/** `max-delete 50`, `no-public` */
export function policyText(name: PolicyName, value: unknown): string {
  return [name, policyValueText(value, name)].filter(Boolean).join(' ')
}

/** `profile "work"`, `ci.yaml` */
export function policySourceText({kind, name}: PolicySource): string {
  return kind === 'profile' ? `profile "${name}"` : name
}

/** A change that a policy refuses. `message` is a whole sentence, which names the limit and where it is set. */
export class PolicyError extends Error {
  /** What to do next. */
  readonly hint: string

  constructor({name, value, source}: PolicyLimit<unknown>, what: string, hint?: string) {
    super(
      `Refused by the policy "${policyText(name, value)}" (set in ${policySourceText(source)}): ${what}.`,
    )
    this.name = 'PolicyError'
    this.hint = hint ?? liftText(name, source)
  }
}

function liftText(name: PolicyName, {kind, name: place}: PolicySource): string {
  if (kind === 'file') return 'To lift the limit, edit the file that DRV_POLICY names.'
  return `To lift the limit, run \`drv auth policy unset ${name} --profile ${place}\`.`
}

/** The refusal of a change without a plan; `what` is the command. */
export function planError(limit: PolicyLimit<true>, what = 'this command'): PolicyError {
  return new PolicyError(
    limit,
    `${what} makes changes without a plan`,
    'Pass --plan FILE to write a plan, then run `drv apply FILE`.',
  )
}
