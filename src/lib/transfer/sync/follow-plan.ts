import {basename} from 'node:path'
import type {PullPlan} from '#lib/transfer/tree/pull-plan.js'
import {type FolderStep, parentOf, type PullStep} from '#lib/transfer/tree/steps.js'
import {isAsRemembered, isKnownVersion, isToMove, versionOf} from './tree-node.js'
import {nodeOf, type TreeReader} from './tree-state.js'

interface FollowOptions {
  /** Whether it is not the first round of a command. */
  readonly isLater: boolean
  /** Whether a local folder at a path does not exist. */
  readonly isMissing: (path: string) => boolean
}

/**
 * The plan of a folder for a follower, which overwrites only unchanged files: a local file that has changed since it
 * was remembered stays, and a remote version that has changed too is saved beside it. With `isLater`, a file or folder
 * that was removed here stays removed until it, or something in it, changes remotely. Items that are still
 * elsewhere here, because they moved into the folder before that was listed, are moved by the next round.
 */
export function planToFollow(plan: PullPlan, tree: TreeReader, options: FollowOptions): PullPlan {
  const {remote, path} = plan.pair
  if (!remote || plan.pair.isLinked) return plan
  const {isLater, isMissing} = options
  const moving = new Set(
    plan.below.flatMap(one => (isToMove(tree.node(one.remote!.id)) ? [one.path] : [])),
  )
  const isMoving = (step: PullStep) =>
    moving.has(step.path) || ('remote' in step && isToMove(nodeOf(step.remote, tree)))
  const below = plan.below.filter(one => !moving.has(one.path))
  const steps = plan.steps.flatMap(step =>
    isMoving(step) ? [] : followStep(step, remote.id, tree, isLater),
  )
  return {...plan, below, steps: [...missingFolders(path, isMissing), ...steps]}
}

/** A folder and those above it that no longer exist, outer ones first. */
function missingFolders(path: string, isMissing: (path: string) => boolean): FolderStep[] {
  if (path === '' || !isMissing(path)) return []
  const parent = parentOf(path)
  const step = {action: 'folder', path, name: basename(path), parent, isOptional: true} as const
  return [...missingFolders(parent, isMissing), step]
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
      isKnownVersion(known.local?.file, step.remote)
    return isLater && isRemoved ? [] : [step]
  }
  if (step.action === 'folder') {
    const isRemoved = tree.at(folderId, step.name)?.remote.kind === 'folder'
    return [isLater && isRemoved ? {...step, isOptional: true} : step]
  }
  if (step.action !== 'check' && step.action !== 'replace') return [step]
  const {local, remote, path} = step
  const known = nodeOf(remote, tree)?.local?.file
  const isSame = known?.version === versionOf(remote)
  const here = tree.at(folderId, basename(path))?.local?.file
  // After an interrupted push, the push itself decides.
  const isKept = here && here.sent === undefined && isAsRemembered(here, local)
  if (isKept && isSame && here === known) return [{action: 'same', path, local, remote}]
  if (isKept) return [{...step, isSafe: true}]
  // Only the local file has changed.
  if (isKnownVersion(known, remote)) return []
  return [step]
}
