import {FOLDER_TYPE} from '#lib/api/wire.js'
import type {Step} from '#lib/cli/run/plan.js'
import type {ProposedChange} from '#lib/policy/judge.js'
import type {PushPiece} from '#lib/transfer/tree/push-tree.js'
import type {PushStep} from '#lib/transfer/tree/steps.js'
import {previewStep} from './tree-steps.js'

/**
 * Returns a function for the steps of each piece that `--dry-run` shows, with the changes that policies check. IDs of
 * new folders are made up.
 */
export function createPushPreview(): (piece: PushPiece) => Iterable<Step> {
  const known = new Map<string, string>()
  const parent = (path: string) => [{id: known.get(path) ?? newId(path)}]
  return function* ({steps, folders}) {
    for (const [path, id] of folders) known.set(path, id)
    for (const step of steps) {
      const shown = previewStep(step, 'local')
      const proposed = proposedChange(step, parent)
      yield proposed && 'here' in shown ? {...shown, proposed} : shown
    }
  }
}

const newId = (path: string) => `new:${path}`

function proposedChange(
  step: PushStep,
  parent: (path: string) => ReadonlyArray<{readonly id: string}>,
): ProposedChange | undefined {
  switch (step.action) {
    case 'folder': {
      const body = {id: newId(step.path), mimeType: FOLDER_TYPE, parents: parent(step.parent)}
      return {id: 'files.insert', input: {params: {}, body}}
    }
    case 'upload': {
      const upload = {size: step.local.stream ? undefined : step.local.size}
      return {id: 'files.insert', input: {params: {}, body: {parents: parent(step.parent)}, upload}}
    }
    case 'replace': {
      const upload = {size: step.local.stream ? undefined : step.local.size}
      return {id: 'files.update', input: {params: {fileId: step.remote.id}, upload}}
    }
    case 'trash':
      return {id: 'files.trash', input: {params: {fileId: step.entry.id}}}
    default:
      return undefined
  }
}
