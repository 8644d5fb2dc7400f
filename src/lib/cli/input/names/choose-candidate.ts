import type {Context} from '#lib/cli/context/context.js'
import {shortTime} from '#lib/cli/terminal/cell.js'
import {chooseOne} from '#lib/cli/terminal/confirm.js'
import {sizeText} from '#lib/cli/terminal/units.js'
import {printable} from '#lib/platform/sanitize.js'
import {type Candidate, type Choose, refuseToChoose} from '#lib/transfer/remote/resolve-error.js'

/**
 * From the words by which people name files, drives and permissions to their IDs: that lives here. How
 * a path is followed in the service belongs to `lib/transfer/remote`.
 */

/** Which of several things is meant: asked at a terminal, refused anywhere else. */
export function chooseAt({io, signal}: Pick<Context, 'io' | 'signal'>): Choose {
  if (!io.interactive) return refuseToChoose
  return async (way, candidates) =>
    chooseOne(
      `${printable(way)} is the name of several things. Which one?`,
      candidates.map(value => ({name: candidateLine(value), value})),
      io,
      signal,
    )
}

/** `1abc  /Reports/q3.pdf  5.2 KiB  2026-11-22 07:23`, with the kind in place of a size there is none of. */
export function candidateLine({id, path, kind, size, date}: Candidate): string {
  const what = size === undefined ? kind.replace(/^an? /, '') : sizeText(size)
  return [id, path, what, date === undefined ? '' : shortTime(date)]
    .map(text => printable(text))
    .filter(Boolean)
    .join('  ')
}
