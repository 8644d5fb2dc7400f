import type {PushPiece} from '#lib/transfer/tree/push-tree.js'
import {stepsOfAction} from '#lib/transfer/tree/steps.js'

/** Number of new items whose IDs are reserved together: the maximum of one request. */
const GROUP_SIZE = 1000
/** Maximum number of steps to hold back while collecting new items. */
const MAX_HELD = 5000

/** Groups pieces so that the IDs of their new items are reserved together. */
export async function* groupPieces(pieces: AsyncIterable<PushPiece>): AsyncGenerator<PushPiece[]> {
  let some: PushPiece[] = []
  let makes = 0
  let held = 0
  for await (const piece of pieces) {
    some.push(piece)
    makes += stepsOfAction(piece.steps, 'folder', 'upload').length
    held += piece.steps.length
    if (makes < GROUP_SIZE && held < MAX_HELD) continue
    yield some
    some = []
    makes = held = 0
  }
  if (some.length > 0) yield some
}
