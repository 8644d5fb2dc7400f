import {quoted} from '#lib/transfer/remote/records.js'
import {bytesIn} from '#lib/cli/input/byte-size.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {isNumber} from '#lib/cli/output/people.js'
import {momentIn} from '#lib/cli/terminal/moment.js'
import type {Criterion} from './criterion.js'
import {nameCriterion} from './name-criterion.js'
import {typeCriterion} from './type-criterion.js'

/** What a command line asks for, by name of the flag. */
export interface Wishes {
  readonly name?: string
  readonly type?: string
  readonly larger?: string
  readonly smaller?: string
  readonly 'modified-since'?: string
  readonly owner?: string
  readonly 'shared-with'?: string
}

/** What to ask the service, and what to look at here. Throws `UsageError` for a value that says nothing. */
export async function criteriaOf(wishes: Wishes, now: number): Promise<Criterion[]> {
  const {name, type, larger, smaller, owner} = wishes
  const {'modified-since': since, 'shared-with': who} = wishes
  const all: Criterion[] = []
  if (name !== undefined) all.push(await nameCriterion(name))
  if (type !== undefined) all.push(await typeCriterion(type))
  if (larger !== undefined) all.push(sizeCriterion('larger', larger, (size, than) => size > than))
  if (smaller !== undefined) {
    all.push(sizeCriterion('smaller', smaller, (size, than) => size < than))
  }
  if (since !== undefined) all.push(sinceCriterion(since, now))
  if (owner !== undefined) all.push({term: `${quoted(person('owner', owner))} in owners`})
  if (who !== undefined) all.push({term: sharedTerm(who)})
  return all
}

/** Nothing but files has a size. */
function sizeCriterion(
  flag: string,
  text: string,
  compare: (size: number, than: number) => boolean,
): Criterion {
  const than = bytesIn(text)
  if (than === undefined) {
    throw new UsageError(
      `--${flag} takes bytes, such as 500K or 10M, not "${text}".`,
      'K, M, G and T are 1024 each.',
    )
  }
  return {fits: ({fileSize}) => isNumber(fileSize) && compare(Number(fileSize), than)}
}

function sinceCriterion(text: string, now: number): Criterion {
  const moment = momentIn(text, now)
  if (moment !== undefined) {
    return {term: `modifiedDate >= ${quoted(new Date(moment).toISOString())}`}
  }
  throw new UsageError(
    `--modified-since takes a time such as 12h, 7d, 2w or 2026-01-31, not "${text}".`,
    'm, h, d and w are minutes, hours, days and weeks.',
  )
}

/** Whoever owns a file may read it, and is not who it is shared with. */
function sharedTerm(who: string): string {
  if (who === 'anyone') return `(visibility = 'anyoneCanFind' or visibility = 'anyoneWithLink')`
  const whom = quoted(person('shared-with', who, ' or anyone'))
  return `(${whom} in readers and not ${whom} in owners)`
}

function person(flag: string, text: string, others = ''): string {
  if (text === 'me' || /^[^\s@]+@[^\s@]+$/.test(text)) return text
  throw new UsageError(`--${flag} takes an e-mail address, me${others}, not "${text}".`)
}
