import {isDeeperThan, MOST_LEVELS} from '#lib/api/document/walk.js'
import {document} from './document.js'
import {factsOf} from './facts.js'
import {breach, type Finding} from './spot.js'

/**
 * What is wrong with a description document is found here, a file a part of the document: which fields
 * it may have and of which type, and the rules that bind them to each other. Documents are read for use
 * in `../read.ts`, which asks for far less.
 */

/**
 * All that a JSON value has against it as a description, in the order of the format's tables: breaches
 * of the format (spec and reference: description-format.md), and remarks on what readers have to bear.
 * Takes any JSON, and runs no pattern that stands in it.
 */
export function checkDocument(json: unknown): Finding[] {
  const findings: Finding[] = []
  if (isDeeperThan(json, MOST_LEVELS)) {
    const nowhere = {place: '', key: '', facts: factsOf({}), findings}
    breach(
      nowhere,
      'depth',
      `More than ${MOST_LEVELS} values lie in one another; no more is checked.`,
    )
  } else {
    document(json, {place: '', key: '', facts: factsOf(json), findings})
  }
  return findings
}
