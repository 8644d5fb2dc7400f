import type {Params} from '#lib/service/call.js'
import {required} from '#lib/service/errors.js'

/** What a request says about a file's modified date. */
interface DateWish {
  readonly behavior: Params<'files.update'>['modifiedDateBehavior']
  /** `undefined` when the request does not name it. */
  readonly setModifiedDate: boolean | undefined
  readonly fromBody: string | null | undefined
  /** Whether the request changes something that moves the date. */
  readonly moves: boolean
}

/**
 * The modified date after an update in Unix ms, or `undefined` when it stays (reference:
 * protocols.md, section 2). A request that says nothing about it moves it only if it edits the file.
 * Throws 400 when the date shall come from a body that has none.
 */
export function newModifiedDate(wish: DateWish, now: number): number | undefined {
  const {setModifiedDate, fromBody, moves} = wish
  const body = typeof fromBody === 'string' ? Date.parse(fromBody) : undefined
  const implied =
    setModifiedDate === undefined ? 'nowIfNeeded' : setModifiedDate ? 'fromBodyOrNow' : 'now'
  switch (wish.behavior ?? implied) {
    case 'fromBody':
      return orRequired(body)
    case 'fromBodyIfNeeded':
      return moves ? orRequired(body) : undefined
    case 'fromBodyOrNow':
      return body ?? now
    case 'now':
      return now
    case 'nowIfNeeded':
      return moves ? now : undefined
    case 'noChange':
      return undefined
  }
}

function orRequired(date: number | undefined): number {
  if (date === undefined) throw required('modifiedDate')
  return date
}
