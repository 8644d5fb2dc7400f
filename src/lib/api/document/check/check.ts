import {documentNames, isDeeperThan, methodsIn, MOST_LEVELS} from '#lib/api/document/walk.js'
import type {RestDescription} from '#lib/api/types.js'
import {document} from './document.js'
import {type DocumentFacts, type Finding, membersIn, reportBreach, textIn} from './shape.js'

/**
 * Checks description documents against the format, with a file for each part of a document. `../read.ts`
 * reads documents for use, and is far more tolerant.
 */

/**
 * The findings in a description, in the order of the format's tables: breaches of the format (spec and
 * reference: description-format.md), and remarks on what readers must tolerate. Accepts any JSON, and
 * runs no pattern in it.
 */
export function checkDocument(json: unknown): Finding[] {
  const findings: Finding[] = []
  if (isDeeperThan(json, MOST_LEVELS)) {
    const nowhere = {place: '', key: '', facts: documentFacts({}), findings}
    reportBreach(
      nowhere,
      'depth',
      `Nested more than ${MOST_LEVELS} levels deep. Nothing else was checked.`,
    )
  } else {
    document(json, {place: '', key: '', facts: documentFacts(json), findings})
  }
  return findings
}

/** Collects facts from any JSON, skipping values of the wrong type. */
export function documentFacts(json: unknown): DocumentFacts {
  const all = membersIn(json)
  const api = textIn(all.name)
  const treeIds = new Map<string, string>()
  const methods = new Map<string, string>()
  for (const {place, method} of methodsIn(all as unknown as RestDescription)) {
    const at = place.join('.')
    const due = [...(api ? [api] : []), ...documentNames(place)].join('.')
    if (api) treeIds.set(at, due)
    const id = textIn(membersIn(method).id) ?? due
    if (!methods.has(id)) methods.set(id, at)
  }
  return {
    rootUrl: textIn(all.rootUrl) ?? '',
    servicePath: textIn(all.servicePath) ?? '',
    schemas: new Set(Object.keys(membersIn(all.schemas))),
    scopes: new Set(Object.keys(membersIn(membersIn(membersIn(all.auth).oauth2).scopes))),
    treeIds,
    methods,
  }
}
