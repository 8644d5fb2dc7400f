import type {Finding} from '#lib/api/document/check/shape.js'
import type {DocumentChange} from '#lib/api/document/diff/rules.js'
import {textOfLines} from '#lib/cli/terminal/layout.js'
import {printable} from '#lib/platform/sanitize.js'
import {indentParagraph, joinParagraphs, labeledParagraph} from './paragraphs.js'

/** Findings in documents as text for people. */

/** Findings as blocks: kind, place and rule on the first line, the sentence below. */
export function findingsText(findings: readonly Finding[], width: number): string {
  return blocks(
    findings.map(({place, rule, text, isBreach}) => ({
      head: `${isBreach ? 'error' : 'warning'}: ${place || '(document)'} (${rule})`,
      text,
    })),
    width,
  )
}

/** `3 errors, 1 warning` */
export function findingsCount(findings: readonly Finding[]): string {
  const breaches = findings.filter(({isBreach}) => isBreach).length
  return `${number(breaches, 'error', 'errors')}, ${number(findings.length - breaches, 'warning', 'warnings')}`
}

/** Changes as blocks; breaking ones are marked. */
export function documentChangesText(changes: readonly DocumentChange[], width: number): string {
  return blocks(
    changes.map(({change, breaking, place, text}) => ({
      head: `${breaking ? 'breaking: ' : ''}${change} ${place}`,
      text,
    })),
    width,
  )
}

/** `1 breaking change, 2 other changes, 30 text changes` */
export function changesCount(changes: readonly DocumentChange[], texts: readonly string[]): string {
  const breaking = changes.filter(change => change.breaking).length
  const others = changes.length - breaking
  return [
    number(breaking, 'breaking change', 'breaking changes'),
    ...(others > 0 ? [number(others, 'other change', 'other changes')] : []),
    ...(texts.length > 0 ? [number(texts.length, 'text change', 'text changes')] : []),
  ].join(', ')
}

function blocks(
  all: ReadonlyArray<{readonly head: string; readonly text: string}>,
  width: number,
): string {
  const words = (text: string) => labeledParagraph('', printable(text, LONGEST))
  const paragraphs = all.flatMap(({head, text}) => [words(head), indentParagraph(words(text))])
  return textOfLines(joinParagraphs(paragraphs)(width))
}

/** Maximum number of characters of a place or a sentence, against absurdly long names. */
const LONGEST = 2000

function number(count: number, one: string, many: string): string {
  return `${count === 0 ? 'no' : count} ${count === 1 ? one : many}`
}
