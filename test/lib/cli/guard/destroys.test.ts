import {expect, test} from 'vitest'
import {operations} from '#lib/api/operations.js'
import {destroys, impactKindOf} from '#lib/cli/guard/destroys.js'
import type {CallInput} from '#lib/client/client.js'

const ALWAYS = ['files.delete', 'files.emptyTrash', 'drives.delete', 'revisions.delete']
const LOOK = ['children.delete', 'parents.delete', 'permissions.delete']
const HAND_OVER = ['permissions.insert', 'permissions.patch', 'permissions.update']

test.each(operations.map(({operationId}) => operationId))('whether %s destroys something', id => {
  const input: CallInput = {params: {fileId: 'A'}, body: {role: 'reader'}}
  expect(destroys(id, input)).toBe(
    ALWAYS.includes(id) ? true : LOOK.includes(id) ? undefined : false,
  )
  expect(impactKindOf(id) !== undefined).toBe([...ALWAYS, ...LOOK, ...HAND_OVER].includes(id))
})

test.each<[string, CallInput]>([
  ['the role of an owner', {params: {}, body: {role: 'owner'}}],
  ['the flag', {params: {transferOwnership: 'true'}, body: {role: 'writer'}}],
])('a permission transfers the ownership by %s', (_, input) => {
  for (const id of HAND_OVER) expect(destroys(id as 'permissions.insert', input)).toBe(true)
  expect(destroys('files.patch', input)).toBe(false)
})
