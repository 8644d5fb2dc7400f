import {momentIn, TIME_HINT} from '#lib/api/moment.js'
import {isNumber} from '#lib/cli/output/people.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {parseBytes} from '#lib/platform/values.js'
import {queryAnyOf, queryValue} from '#lib/transfer/remote/records.js'
import {hasWildcards, titleMatcher} from '#lib/transfer/remote/title-globs.js'
import type {Criterion} from './criterion.js'
import {
  externalCriterion,
  modifierCriterion,
  notSharedCriterion,
  ownerCriterion,
  sharedCriterion,
} from './people-criteria.js'
import {typeCriterion} from './type-criterion.js'

type Text = string | undefined

/** The conditions of a command line, by flag. */
export interface Conditions {
  /** Parts of the name; all must match. */
  readonly words?: readonly string[]
  /** Globs for the whole name; at least one must match. */
  readonly name?: readonly string[]
  readonly type?: Text
  readonly content?: Text
  readonly starred?: boolean
  readonly property?: readonly string[]
  readonly larger?: Text
  readonly smaller?: Text
  readonly 'min-size'?: Text
  readonly 'max-size'?: Text
  readonly 'modified-since'?: Text
  readonly 'modified-before'?: Text
  readonly 'created-since'?: Text
  readonly 'created-before'?: Text
  readonly owner?: Text
  readonly 'modified-by'?: Text
  readonly 'shared-with'?: Text
  readonly 'not-shared-with'?: Text
  readonly external?: Text
  readonly orphans?: boolean
}

/** Builds the criterion for the value of a flag. */
type Make = (text: string, now: number) => Criterion | Promise<Criterion>

/** The flags with one value, in the order of their terms in the query. */
const MAKERS = {
  type: typeCriterion,
  content: text => ({term: `fullText contains ${queryValue(text)}`}),
  larger: sizeCriterion('larger', (size, than) => size > than),
  smaller: sizeCriterion('smaller', (size, than) => size < than),
  'min-size': sizeCriterion('min-size', (size, than) => size >= than),
  'max-size': sizeCriterion('max-size', (size, than) => size <= than),
  'modified-since': timeCriterion('modified-since', 'modifiedDate >='),
  'modified-before': timeCriterion('modified-before', 'modifiedDate <'),
  'created-since': timeCriterion('created-since', 'createdDate >='),
  'created-before': timeCriterion('created-before', 'createdDate <'),
  owner: ownerCriterion,
  'modified-by': modifierCriterion,
  'shared-with': sharedCriterion,
  'not-shared-with': notSharedCriterion,
  external: externalCriterion,
} as const satisfies {readonly [Flag in keyof Conditions]?: Make}

/** The criteria of a search; `now` is in milliseconds. Throws `UsageError` for an invalid value. */
export async function criteriaOf(conditions: Conditions, now: number): Promise<Criterion[]> {
  const {words = [], name = [], property = [], starred, orphans} = conditions
  const all: Criterion[] = []
  for (const word of words) all.push(await nameCriterion(hasWildcards(word) ? word : `*${word}*`))
  if (name.length > 0) all.push(await namesCriterion(name))
  for (const [flag, make] of Object.entries(MAKERS) as Array<[keyof typeof MAKERS, Make]>) {
    const text = conditions[flag]
    if (text !== undefined) all.push(await make(text, now))
  }
  if (starred) all.push({term: 'starred = true'})
  all.push(...property.map(propertyCriterion))
  if (orphans) all.push(ORPHANS)
  return all
}

/** Files of the user that are in no folder. */
const ORPHANS: Criterion = {
  term: `'me' in owners`,
  matches: ({parents}) => !Array.isArray(parents) || parents.length === 0,
}

/** Matches files only: folders and editor documents have no size. */
function sizeCriterion(flag: string, compare: (size: number, than: number) => boolean): Make {
  return text => {
    const than = parseBytes(text)
    if (than === undefined) {
      throw new UsageError(
        `Invalid --${flag}: "${text}" is not a size.`,
        'Use bytes, or a number with K, M, G or T (powers of 1024), such as 10M.',
      )
    }
    return {matches: ({fileSize}) => isNumber(fileSize) && compare(Number(fileSize), than)}
  }
}

function timeCriterion(flag: string, comparison: string): Make {
  return (text, now) => {
    const moment = momentIn(text, now)
    if (moment !== undefined) {
      return {term: `${comparison} ${queryValue(new Date(moment).toISOString())}`}
    }
    throw new UsageError(`Invalid --${flag}: "${text}" is not a time.`, TIME_HINT)
  }
}

/** Files with a public or private property, and with its value unless only the key is given. */
function propertyCriterion(text: string): Criterion {
  const [, key, , value] = /^([^=]+)(=(.*))?$/s.exec(text) ?? []
  if (key === undefined) {
    throw new UsageError(`Invalid --property: "${text}" is not KEY=VALUE.`)
  }
  const wanted = `key=${queryValue(key)}${value === undefined ? '' : ` and value=${queryValue(value)}`}`
  const spaces = ['PUBLIC', 'PRIVATE']
  return {term: queryAnyOf(spaces, space => `properties has {${wanted} and visibility='${space}'}`)}
}

/** Files whose name matches at least one glob. */
async function namesCriterion(globs: readonly string[]): Promise<Criterion> {
  const all = await Promise.all(globs.map(nameCriterion))
  const terms = all.flatMap(({term}) => term ?? [])
  return {
    ...(terms.length === all.length && {term: queryAnyOf(terms, term => term)}),
    matches: record => all.some(({matches}) => matches!(record)),
  }
}

/** Files whose whole title matches a glob, ignoring case, as the service compares titles. */
export async function nameCriterion(glob: string): Promise<Criterion> {
  const isMatch = await titleMatcher(glob, {ignoreCase: true})
  return {
    term: termFor(glob),
    matches: ({title}) => typeof title === 'string' && isMatch(title),
  }
}

/**
 * The search term for a glob: the whole title without wildcards, else the letters and digits that it begins
 * with. `title contains` matches the beginnings of words (reference: protocols.md, section 5).
 */
function termFor(glob: string): string | undefined {
  if (!hasWildcards(glob)) return `title = ${queryValue(glob)}`
  const [start] = /^[a-z\d]+/i.exec(glob) ?? []
  return start === undefined ? undefined : `title contains ${queryValue(start)}`
}
