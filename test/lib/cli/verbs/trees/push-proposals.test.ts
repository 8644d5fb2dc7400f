import {expect, test} from 'vitest'
import {createPushPreview} from '#lib/cli/verbs/trees/push-proposals.js'
import type {PushPiece} from '#lib/transfer/tree/push-tree.js'

test('steps of a dry run are created one by one, because a folder can have 100,000 files', () => {
  let read = 0
  const steps = Array.from({length: 100}, (_, index) => ({
    action: 'folder' as const,
    get path() {
      read = Math.max(read, index + 1)
      return `folder ${index}`
    },
    name: `folder ${index}`,
    parent: '',
  }))
  const leftOut = {folders: 0, files: 0}
  const piece: PushPiece = {steps, folders: new Map(), seen: new Set(), twins: [], leftOut}
  const shown = createPushPreview()(piece)[Symbol.iterator]()
  expect([shown.next().value?.original, read]).toEqual(['folder 0', 1])
  expect([shown.next().value?.original, read]).toEqual(['folder 1', 2])
})
