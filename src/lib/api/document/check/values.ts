import {isObject} from '#lib/api/validate.js'

/** Reading of what may have the wrong shape; that it has is told elsewhere. */

export type Members = Readonly<Record<string, unknown>>

/** The text, or nothing where it is none. */
export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** The members, or none where it is no object. */
export function membersIn(value: unknown): Members {
  return isObject(value) ? value : {}
}

/** The texts of a list; what else is in it is left out. */
export function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter(item => typeof item === 'string') : []
}

/** The place of a member: its name behind the place it is in. */
export function placeBelow(place: string, key: string): string {
  return place === '' ? key : `${place}.${key}`
}
