import {forbidden, required} from '#lib/service/errors.js'

type Body = Readonly<Record<string, unknown>>

/** The ID of the one parent that a body names; `undefined` where it names none. Throws 400 and 403. */
export function parentIn(body: Body): string | undefined {
  const parents = (body.parents ?? []) as ReadonlyArray<{id?: string}>
  if (parents.length > 1) {
    throw forbidden(
      'cannotAddParent',
      'An item has one parent. Name one folder in parents.',
      'parents',
    )
  }
  const [parent] = parents
  if (parent === undefined) return undefined
  if (!parent.id) throw required('parents.id')
  return parent.id
}

/** The body with parents that are given as text, as in other versions of the API, made references. */
export function withParentReferences(body: Body): Body {
  const {parents} = body
  if (!Array.isArray(parents)) return body
  const references = parents.map((each: unknown) => (typeof each === 'string' ? {id: each} : each))
  return {...body, parents: references}
}
