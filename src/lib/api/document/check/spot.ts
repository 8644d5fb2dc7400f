import {isBelowRoot} from '#lib/api/document/fault.js'
import {shown} from '#lib/platform/values.js'
import type {Facts} from './facts.js'
import {placeBelow} from './values.js'

/** What a check finds, and where it stands while it looks. */

/** Something that a document has against it. */
export interface Finding {
  /** The names that lead there: `resources.files.methods.list.parameters.q.type`; '' is all of it. */
  readonly place: string
  /** The short name of the rule, for programs; stays as it is. */
  readonly rule: string
  /** A whole sentence. */
  readonly text: string
  /** Breaks the format; else it is something that readers have to bear. */
  readonly isBreach: boolean
}

/** A place in a document that is being checked. */
export interface Spot {
  readonly place: string
  /** The last name of the place. */
  readonly key: string
  /** What is known of the document as a whole. */
  readonly facts: Facts
  /** Takes what is found. */
  readonly findings: Finding[]
}

/** The place of a member. */
export function below(spot: Spot, key: string): Spot {
  return {...spot, place: placeBelow(spot.place, key), key}
}

/** The place of an element of a list. */
export function element(spot: Spot, index: number): Spot {
  return {...spot, place: `${spot.place}[${index}]`}
}

/** Tells of a path below the root address that leads out of it, to where something else may be. */
export function checkBelowRoot(spot: Spot, path: string): void {
  if (isBelowRoot(spot.facts.rootUrl, path)) return
  breach(spot, 'path-below-root', `This leads out of the root address: ${shown(path)}.`)
}

export function breach({place, findings}: Spot, rule: string, text: string): void {
  findings.push({place, rule, text, isBreach: true})
}

export function remark({place, findings}: Spot, rule: string, text: string): void {
  findings.push({place, rule, text, isBreach: false})
}
