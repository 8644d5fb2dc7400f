import type {LocalFolder, RemoteFolder} from '#lib/transfer/tree/entries.js'
import {removableParts} from '#lib/transfer/tree/exclusions.js'
import {planPull as planFolderPull, type PullPlan} from '#lib/transfer/tree/pull-plan.js'
import {planPush as planFolderPush, type PushPlan} from '#lib/transfer/tree/push-plan.js'
import type {FolderPair} from '#lib/transfer/tree/walk.js'

/** Plans whole trees in memory, folder by folder. */

type Planned = Pick<PushPlan | PullPlan, 'below'> & {
  readonly steps: ReadonlyArray<{readonly action: string; readonly path: string}>
  readonly pair: FolderPair
}

function planned<P extends Planned>(pair: FolderPair, plan: (pair: FolderPair) => P): P[] {
  const one = plan(pair)
  return [one, ...one.below.flatMap(below => planned({...below, names: []}, plan))]
}

/** The steps of all plans, each folder's after the one that creates it; removals last. */
function stepsOf<S extends {readonly action: string; readonly path: string}>(
  plans: ReadonlyArray<{readonly steps: readonly S[]}>,
): S[] {
  const all = plans.flatMap(({steps}) => steps)
  const isGoing = ({action}: S) => action === 'trash' || action === 'remove'
  const going = all.filter(isGoing).flatMap(step => {
    const {entry, path} = step as any
    return removableParts(entry, path).map((one: any) => ({...step, ...one, id: one.entry.id}))
  })
  return [...all.filter(step => !isGoing(step)), ...going]
}

export function planPush(
  local: LocalFolder,
  remote: RemoteFolder | undefined,
  options: Parameters<typeof planFolderPush>[1],
) {
  const plans = planned({path: '', names: [], local, ...(remote && {remote})}, pair =>
    planFolderPush(pair, options),
  )
  return {
    steps: stepsOf(plans),
    below: plans.flatMap(({below}) => below),
    twins: plans.flatMap(({twins}) => twins),
    pair: plans[0]!.pair,
    folders: new Map(
      plans.flatMap(({pair: {path, remote}}) => (remote ? [[path, remote.id] as const] : [])),
    ),
  }
}

export function planPull(
  remote: RemoteFolder,
  local: LocalFolder | undefined,
  options: Parameters<typeof planFolderPull>[1],
): PullPlan {
  const plans = planned({path: '', names: [], remote, ...(local && {local})}, pair =>
    planFolderPull(pair, options),
  )
  return {
    steps: stepsOf(plans),
    below: plans.flatMap(({below}) => below),
    renamed: plans.flatMap(({renamed}) => renamed),
    twins: plans.flatMap(({twins}) => twins),
    known: new Map(plans.flatMap(({known}) => [...known])),
    parts: new Map(plans.flatMap(({parts}) => [...parts])),
    pair: plans[0]!.pair,
  }
}
