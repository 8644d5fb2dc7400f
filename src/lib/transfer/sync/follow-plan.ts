import {basename} from 'node:path'
import type {PullPlan} from '#lib/transfer/tree/pull-plan.js'
import type {PullStep} from '#lib/transfer/tree/steps.js'
import {isAsRemembered, type LocalContent, versionOf} from './tree-node.js'
import type {TreeReader} from './tree-state.js'

/**
 * The plan of a folder for a follower, which overwrites only unchanged files: a local file that has
 * changed since it was remembered stays, and a remote version that has changed too is saved beside it. With `isLater`, a file that was
 * removed here stays removed until its remote version changes.
 */
export function planToFollow(plan: PullPlan, tree: TreeReader, isLater: boolean): PullPlan {
  const {remote} = plan.pair
  if (!remote || plan.pair.isLinked) return plan
  return {...plan, steps: plan.steps.flatMap(step => followStep(step, remote.id, tree, isLater))}
}

function followStep(
  step: PullStep,
  folderId: string,
  tree: TreeReader,
  isLater: boolean,
): PullStep[] {
  if (step.action === 'download') {
    // Its place is known, so it was removed here; otherwise it has another name now.
    const known = tree.at(folderId, basename(step.path))
    const isRemoved =
      known?.remote.id === (step.remote.shortcut ?? step.remote).id &&
      known.local?.file?.version === versionOf(step.remote)
    return isLater && isRemoved ? [] : [step]
  }
  if (step.action !== 'check' && step.action !== 'replace') return [step]
  const {local, remote, path} = step
  const known = knownOf(remote, tree)
  const isSeen = known?.version === versionOf(remote)
  const here = tree.at(folderId, basename(path))?.local?.file
  const isKept = here && isAsRemembered(here, local)
  if (isKept && isSeen && here === known) return [{action: 'same', path, local, remote}]
  if (isKept) return [{...step, isSafe: true}]
  // Only the local file has changed.
  if (isSeen) return []
  return [step]
}

function knownOf(
  {id, shortcut}: {readonly id: string; readonly shortcut?: {readonly id: string}},
  tree: TreeReader,
): LocalContent | undefined {
  return tree.node((shortcut ?? {id}).id)?.local?.file
}
